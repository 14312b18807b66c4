//! Pictures in grey: `.pgm` and `.png`, as what is not black in them.

use super::Text;
use openwork::{Buffer, Coo};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// The points of a picture.
///
/// # Errors
/// When it cannot be read, or is of another kind.
pub fn read(path: &Path) -> Text<Coo> {
    let (shape, grey) = match path.extension().and_then(|e| e.to_str()) {
        Some("pgm") => pgm(&std::fs::read(path).map_err(|e| e.to_string())?)?,
        _ => png(path)?,
    };
    let lit = || (0..grey.len()).filter(|&p| grey[p] > 0);
    let coords =
        [lit().map(|p| (p / shape[1]) as i32).collect(), lit().map(|p| (p % shape[1]) as i32).collect()];
    let vals: Vec<f64> = lit().map(|p| f64::from(grey[p])).collect();
    super::text(Coo::new(
        shape.to_vec(),
        coords.map(|c: Vec<i32>| Buffer::from(c)).to_vec(),
        Buffer::from(vals),
    ))
}

/// Rows and columns, and a byte for each point.
type Grey = ([usize; 2], Vec<u8>);

/// A letter and a digit, width, height and the largest value, each after white space, then the points.
fn pgm(bytes: &[u8]) -> Text<Grey> {
    let mut words = Vec::new();
    let mut at = 0;
    while words.len() < 4 {
        let rest = bytes.get(at..).filter(|r| !r.is_empty()).ok_or("the header ends early")?;
        if rest[0] == b'#' {
            at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        } else if rest[0].is_ascii_whitespace() {
            at += 1;
        } else {
            let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            words.push(String::from_utf8_lossy(&rest[..length]).into_owned());
            at += length;
        }
    }
    let number = |n: usize| words[n].parse::<usize>().map_err(|e| e.to_string());
    let (columns, rows) = (number(1)?, number(2)?);
    match bytes.get(at + 1..at + 1 + rows * columns) {
        Some(points) if words[0] == "P5" && number(3)? < 256 => Ok(([rows, columns], points.to_vec())),
        _ => Err("no grey picture with a byte for each point".into()),
    }
}

fn png(path: &Path) -> Text<Grey> {
    let file = BufReader::new(File::open(path).map_err(|e| e.to_string())?);
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let mut points = vec![0; reader.output_buffer_size().ok_or("a picture that is too large")?];
    let info = reader.next_frame(&mut points).map_err(|e| e.to_string())?;
    let samples = info.color_type.samples();
    let grey = |point: &[u8]| match samples {
        1 | 2 => point[0],
        _ => (point[..3].iter().map(|&c| u32::from(c)).sum::<u32>() / 3) as u8,
    };
    let size = [info.height as usize, info.width as usize];
    Ok((size, points[..info.buffer_size()].chunks_exact(samples).map(grey).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_may_have_remarks() {
        let found = pgm(b"P5\n# by hand\n2 1\n255\n\x00\x09").expect("a picture");
        assert_eq!(found, ([1, 2], vec![0, 9]));
        assert!(pgm(b"P5 2 2 255 \x00").is_err() && pgm(b"P5 2").is_err());
    }
}
