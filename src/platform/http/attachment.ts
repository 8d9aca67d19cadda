/** Characters outside the set that every file system and header can represent. */
const PLAIN = /[^A-Za-z0-9 ._()-]/g;
/** Characters of RFC 5987 that encodeURIComponent leaves alone but must not be plain there. */
const RESERVED = /['()*]/g;

/** A Content-Disposition (RFC 6266) for any file name: a plain form for old clients and the name itself. */
export function attachment(name: string): string {
  const safe = name.replace(/[\p{Cc}\p{Cf}\\/]/gu, '_').replace(/^\.+/, '_');
  const encoded = encodeURIComponent(safe.toWellFormed()).replace(
    RESERVED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${safe.replace(PLAIN, '_')}"; filename*=UTF-8''${encoded}`;
}
