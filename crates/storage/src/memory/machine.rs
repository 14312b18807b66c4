//! The memory that a process can have, as Linux tells it in text: what is available, and what the control groups around the
//! process allow. Other systems tell nothing here.

use std::path::{Path, PathBuf};

/// The less of what is available and what every control group around this process allows.
pub(super) fn memory() -> Option<u64> {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let available = read(Path::new("/proc/meminfo")).and_then(|text| available(&text));
    let own = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let mounts = read(Path::new("/proc/self/mountinfo")).unwrap_or_default();
    let allowed =
        limits(&own, &mounts).iter().filter_map(|file| read(file).and_then(|text| number(&text))).min();
    [available, allowed].into_iter().flatten().min()
}

/// `MemAvailable` of `/proc/meminfo` in bytes; kernels before 3.14 only tell `MemTotal`.
fn available(text: &str) -> Option<u64> {
    let line = |name: &str| text.lines().find_map(|l| l.strip_prefix(name));
    let kilobytes = line("MemAvailable:").or_else(|| line("MemTotal:"))?;
    kilobytes.trim().trim_end_matches("kB").trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The text of a limit: bytes, or `max` for none.
fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// The files with the limits of the process's control group for memory and of every group around it, in both versions:
/// `own` is `/proc/self/cgroup` and `mounts` is `/proc/self/mountinfo`.
fn limits(own: &str, mounts: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(number), Some(controllers), Some(group)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let unified = number == "0" && controllers.is_empty();
        if !unified && !controllers.split(',').any(|c| c == "memory") {
            continue;
        }
        let file = if unified { "memory.max" } else { "memory.limit_in_bytes" };
        for (root, point) in mounts.lines().filter_map(|l| parse_mount(l, unified)) {
            // Below the root of the mount; a container may see its own group there under another name.
            let inside = Path::new(group).strip_prefix(&root).unwrap_or(Path::new(""));
            let groups = inside.ancestors().filter(|a| !a.is_absolute());
            out.extend(groups.map(|g| point.join(g).join(file)));
        }
    }
    out
}

/// The root and the place of a mount of control groups, if that is what a line of `/proc/self/mountinfo` is about:
/// `31 23 0:26 /root /place rw,nosuid shared:4 - cgroup cgroup rw,memory`.
fn parse_mount(line: &str, unified: bool) -> Option<(PathBuf, PathBuf)> {
    let (place, kind) = line.split_once(" - ")?;
    let mut kind = kind.split(' ');
    let fits = match (kind.next()?, unified) {
        ("cgroup2", true) => true,
        ("cgroup", false) => kind.nth(1)?.split(',').any(|option| option == "memory"),
        _ => false,
    };
    let mut fields = place.split(' ').skip(3);
    let (root, point) = (fields.next()?, fields.next()?);
    fits.then(|| (PathBuf::from(root), PathBuf::from(point)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIFIED: &str =
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
    const FIRST: &str = "\
24 18 0:21 / /proc rw shared:9 - proc proc rw
34 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:12 - cgroup cgroup rw,cpu,cpuacct
36 31 0:31 / /sys/fs/cgroup/memory rw,nosuid shared:14 - cgroup cgroup rw,memory
";

    fn paths(own: &str, mounts: &str) -> Vec<String> {
        limits(own, mounts).iter().map(|p| p.to_str().unwrap().to_string()).collect()
    }

    #[test]
    fn what_is_available_is_read() {
        let text = "MemTotal:       32768 kB\nMemFree:  10 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(available(text), Some(2 << 20));
        assert_eq!(available("MemTotal:       32768 kB\n"), Some(32 << 20));
        assert_eq!((available(""), available("MemAvailable: much kB\n")), (None, None));
        assert_eq!((number("max\n"), number("1073741824\n"), number("")), (None, Some(1 << 30), None));
    }

    #[test]
    fn groups_around_a_group_limit_it_too() {
        assert_eq!(
            paths("0::/user.slice/job-7.scope\n", UNIFIED),
            [
                "/sys/fs/cgroup/user.slice/job-7.scope/memory.max",
                "/sys/fs/cgroup/user.slice/memory.max",
                "/sys/fs/cgroup/memory.max"
            ]
        );
        assert_eq!(
            paths("5:cpu,cpuacct:/job\n4:memory:/job/step\n", FIRST),
            [
                "/sys/fs/cgroup/memory/job/step/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/job/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes"
            ]
        );
        // Both versions at once, with memory in the first.
        let both = format!("{FIRST}{UNIFIED}");
        assert_eq!(paths("4:memory:/a\n0::/b\n", &both).len(), 4);
    }

    #[test]
    fn containers_see_their_group_as_the_root() {
        assert_eq!(paths("0::/\n", UNIFIED), ["/sys/fs/cgroup/memory.max"]);
        let bound = FIRST.replace("0:31 / ", "0:31 /docker/4f0c ");
        let file = "/sys/fs/cgroup/memory/memory.limit_in_bytes";
        assert_eq!(paths("4:memory:/docker/4f0c\n", &bound), [file]);
        assert_eq!(paths("4:memory:/somewhere/else\n", &bound), [file]);
        assert_eq!(paths("4:memory:/a\n", ""), Vec::<String>::new());
        assert_eq!(paths("nonsense\n1:memory\n", FIRST), Vec::<String>::new());
    }

    #[test]
    fn this_machine_has_memory() {
        assert!(memory().is_none_or(|bytes| bytes > 1 << 20));
    }
}
