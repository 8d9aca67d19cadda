/**
 * Headers in the format of OpenTelemetry: `name=value,name=value`, with values encoded as in a URL.
 * @throws Error whose message completes "OTEL_EXPORTER_OTLP_HEADERS …" and does not repeat a value, which may be a key
 */
export function headersIn(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      const name = pair.slice(0, at).trim();
      return [name, decoded(pair.slice(at + 1).trim(), name)];
    }),
  );
}

function decoded(value: string, name: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new Error(
      `must have values that are encoded as in a URL, with %25 for a percent sign: that of ${name} is not`,
    );
  }
}
