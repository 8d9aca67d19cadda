/** ISO 8601 in UTC with microseconds, of nanoseconds since the epoch. */
export function isoFromNanoseconds(ns: bigint | string): string {
  const micros = BigInt(ns) / 1000n;
  const milliseconds = Number(micros / 1000n);
  const rest = String(micros % 1000n).padStart(3, '0');
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
}
