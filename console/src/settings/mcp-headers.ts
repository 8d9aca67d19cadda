/** Parses headers, one per line with a colon; null for none. Throws for a line without a name and a value. */
export function readHeaders(text: string): Record<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return null;
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      const [name, value] = [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()];
      if (name === '' || value === '')
        throw new Error(`“${line.trim()}” is no header. Write a name, a colon and a value.`);
      return [name, value];
    }),
  );
}
