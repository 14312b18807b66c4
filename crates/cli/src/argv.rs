//! TACO's spelling of flags.
//!
//! ```text
//! -f=B:ds:1,0   ->  --format=B=ds:1,0        -time=10     ->  --time=10
//! -g=x:d        ->  --generate=x=dense       -nthreads=4  ->  --threads=4
//! ```
//! Only an argument that has TACO's form is touched; only the first `:` after the name is a separator, so values may
//! hold `:` and `=` alike.

use std::ffi::OsString;

/// Flags that name a tensor or an index variable: TACO's letter and our long form.
const NAMED: [(&str, &str); 6] = [
    ("-f=", "--format"),
    ("-i=", "--input"),
    ("-o=", "--output"),
    ("-g=", "--generate"),
    ("-d=", "--dim"),
    ("-t=", "--dtype"),
];

/// Long flags that TACO spells with one dash.
const LONG: [(&str, &str); 5] = [
    ("-time", "--time"),
    ("-nthreads", "--threads"),
    ("-s", "--schedule"),
    ("-verify", "--verify"),
    ("-read-source", "--source"),
];

/// What TACO's letters for generated tensors make.
const LETTERS: [(&str, &str); 9] = [
    ("l", "rows:density=0.01,seed=0"),
    ("v", "columns:density=0.01,seed=0"),
    ("f", "fem"),
    ("b", "blocks:density=0.01,seed=0"),
    ("d", "dense"),
    ("u", "random:seed=0"),
    ("r", "random:seed=0"),
    ("s", "sparse:density=0.07,seed=0"),
    ("h", "sparse:density=0.005,seed=0"),
];

/// Rewrites every argument before `--` that has TACO's form.
pub(crate) fn rewrite(argv: Vec<OsString>) -> Vec<OsString> {
    let mut flags = ArgvFlags::Rewritten;
    argv.into_iter()
        .enumerate()
        .map(|(n, arg)| {
            if arg == "--" {
                flags = ArgvFlags::Over;
            }
            match (flags, arg.to_str()) {
                (ArgvFlags::Rewritten, Some(text)) if n > 0 => one(text).map_or(arg, OsString::from),
                (ArgvFlags::Rewritten | ArgvFlags::Over, _) => arg,
            }
        })
        .collect()
}

#[derive(Clone, Copy)]
enum ArgvFlags {
    Rewritten,
    Over,
}

fn one(arg: &str) -> Option<String> {
    if let Some((rest, long)) = NAMED.iter().find_map(|(s, l)| arg.strip_prefix(s).map(|r| (r, l))) {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        let (name, value) = rest.split_at(end);
        let value = value.strip_prefix([':', '='])?;
        let value = match *long {
            "--generate" => LETTERS.iter().find(|(l, _)| *l == value).map_or(value, |(_, g)| g),
            _ => value,
        };
        return Some(format!("{long}={name}={value}"));
    }
    let (flag, value) = arg.split_once('=').map_or((arg, None), |(f, v)| (f, Some(v)));
    let (_, long) = LONG.iter().find(|(short, _)| *short == flag)?;
    match (value, flag) {
        (Some(value), _) => Some(format!("{long}={value}")),
        // TACO's bare `-time` measures one run.
        (None, "-time") => Some("--time=1".into()),
        (None, _) => Some((*long).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taco_spellings_become_ours_and_nothing_else_changes() {
        for (taco, ours) in [
            ("-f=B:ds", "--format=B=ds"),
            ("-f=B:ds:1,0", "--format=B=ds:1,0"),
            ("-f=B:d1s0", "--format=B=d1s0"),
            ("-f=B=csr; fill = 3", "--format=B=csr; fill = 3"),
            ("-i=B:/tmp/a:b=c.mtx", "--input=B=/tmp/a:b=c.mtx"),
            ("-g=x:d", "--generate=x=dense"),
            ("-g=x:sparse:density=0.5,seed=2", "--generate=x=sparse:density=0.5,seed=2"),
            ("-d=i:100", "--dim=i=100"),
            ("-t=B:float", "--dtype=B=float"),
            ("-time=10", "--time=10"),
            ("-time", "--time=1"),
            ("-s=reorder(i,j)", "--schedule=reorder(i,j)"),
            ("-read-source=a.c", "--source=a.c"),
            ("-f", "-f"),
            ("--time", "--time"),
            ("y(i) = A(i,j)", "y(i) = A(i,j)"),
            ("B=-f=B:ds", "B=-f=B:ds"),
        ] {
            assert_eq!(rewrite(vec!["openwork".into(), taco.into()])[1], ours);
        }
        let over = rewrite(vec!["openwork".into(), "--".into(), "-time=1".into()]);
        assert_eq!(over[2], "-time=1");
    }
}
