//! Zstandard (RFC 8878) files of one or more frames, decompressed as a stream.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Output is handed out in pieces of about this size, so that no file is ever whole in memory.
const PIECE_BYTES: usize = 128 * 1024;

/// Reads through all frames; a truncated or damaged frame is an error, not an early end.
pub struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    inside: bool,
}

impl<R: BufRead> Frames<R> {
    /// Over the raw bytes of a file.
    pub fn new(source: R) -> Frames<R> {
        Frames { source, decoder: FrameDecoder::new(), inside: false }
    }

    /// Starts the next frame; false at the end of the file.
    fn enter(&mut self) -> io::Result<bool> {
        if self.source.fill_buf()?.is_empty() {
            return Ok(false);
        }
        self.decoder.reset(&mut self.source).map_err(io::Error::other)?;
        self.inside = true;
        Ok(true)
    }

    fn leave(&mut self) -> io::Result<()> {
        self.inside = false;
        let written = self.decoder.get_checksum_from_data();
        if written.is_some() && written != self.decoder.get_calculated_checksum() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the frame's checksum does not match"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if target.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.inside && !self.enter()? {
                return Ok(0);
            }
            if self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBytes(PIECE_BYTES))
                    .map_err(io::Error::other)?;
            }
            let bytes = self.decoder.read(target)?;
            if bytes > 0 {
                return Ok(bytes);
            }
            if self.decoder.is_finished() {
                self.leave()?;
            }
        }
    }
}
