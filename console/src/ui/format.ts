const DAY_MS = 86_400_000;

/** Time ranges of lists, in days up to now. */
export const DAYS = { '': 'Any time', '1': 'Last 24 hours', '7': 'Last 7 days', '30': 'Last 30 days' };

/** ISO 8601. */
export const daysBefore = (days: number, now: number): string => new Date(now - days * DAY_MS).toISOString();

/** Shown for unknown values, never a zero. */
export const UNKNOWN = '–';

/** `412 µs`, `38 ms`, `1.24 s`, `3 m 05 s`, `2 h 07 m`. */
export function duration(ms: number | null): string {
  if (ms === null) return UNKNOWN;
  if (ms === 0) return '0 ms';
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_995) return `${(ms / 1000).toFixed(ms < 9995 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
  const minutes = Math.round(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} m`;
}

const two = (value: number): string => String(value).padStart(2, '0');

export function count(value: number | null): string {
  return value === null ? UNKNOWN : value.toLocaleString('en-US');
}

/** `1 row`, `1,200 rows`; `more` follows the number. */
export function counted(value: number, what: string, more = ''): string {
  return `${count(value)}${more} ${what}${value === 1 ? '' : 's'}`;
}

/** Scores, with the digits that matter. */
export function rounded(value: number | null): string {
  return value === null ? UNKNOWN : value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** Two significant digits below a cent: most calls cost less. */
export function dollars(value: number | null): string {
  if (value === null) return 'no price';
  if (value === 0) return '$0';
  if (value < 0.000001) return '< $0.000001';
  if (value < 0.01) return `$${value.toFixed(6).replace(/0+$/, '')}`;
  return `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: value < 1 ? 4 : 2 })}`;
}

/** The sum of the cost of calls. It is a lower bound when some of them have no price. */
export function costOf(total: number, unpriced: number | null): string {
  if (!unpriced) return dollars(total);
  return total === 0 ? 'no price' : `at least ${dollars(total)}`;
}

/** `≥ $0.0123`: the same for a narrow column. */
export function shortCostOf(total: number, unpriced: number | null): string {
  return costOf(total, unpriced).replace('at least ', '≥ ');
}

/** Local time, with the day unless it is the day of `now`. */
export function moment(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  const day = dayOf(at, now);
  return day === '' ? time : `${day} ${time.slice(0, 5)}`;
}

/** `2026-05-28 20:26:40`, in local time: a tooltip for times without the day or the seconds. */
export function dayAndTime(iso: string): string {
  const at = new Date(iso);
  const [date, time] = [
    [at.getFullYear(), at.getMonth() + 1, at.getDate()],
    [at.getHours(), at.getMinutes(), at.getSeconds()],
  ];
  return `${date.map(two).join('-')} ${time.map(two).join(':')}`;
}

/**
 * `27 May 09:00 – 10:00`: omits the parts that both ends share, and the current day. A single time when both are equal.
 */
export function period(from: string, to: string, now = new Date()): string {
  const ends = [new Date(from), new Date(to)];
  const hasSeconds = ends.some((at) => at.getSeconds() > 0);
  const times = ends.map(
    (at) => `${two(at.getHours())}:${two(at.getMinutes())}${hasSeconds ? `:${two(at.getSeconds())}` : ''}`,
  );
  const [first, last] = ends.map((at) => dayOf(at, now));
  const start = `${first} ${times[0]}`.trim();
  if (from === to) return start;
  return first === last ? `${start} – ${times[1]}` : `${start} – ${last || 'today'} ${times[1]}`;
}

/** `26 Nov`, with the year unless it is the current one. Empty for today. */
export function dayOf(at: Date, now = new Date()): string {
  if (at.toDateString() === now.toDateString()) return '';
  const year = at.getFullYear() === now.getFullYear() ? '' : ` ${at.getFullYear()}`;
  return `${at.getDate()} ${at.toLocaleString('en-US', { month: 'short' })}${year}`;
}

/** `2026-05-28 20:26:40.25 UTC`: all digits of the value. */
export function exact(iso: string): string {
  return `${iso.replace('T', ' ').replace(/(?:\.0+|(\.\d+?)0+)?Z$/, '$1')} UTC`;
}

/** Microseconds since the epoch: `Date` drops what is below a millisecond. */
export function microseconds(iso: string): number {
  const fraction = /\.(\d{1,6})/.exec(iso)?.[1] ?? '';
  const seconds = Date.parse(iso.replace(/\.\d+/, ''));
  return seconds * 1000 + Number(fraction.padEnd(6, '0'));
}

/** A text in one line, for lists. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** `812 B`, `4.1 KB`, `3.2 MB`. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  const power = Math.min(3, Math.floor(Math.log10(value) / 3));
  return `${(value / 1000 ** power).toFixed(1)} ${['B', 'KB', 'MB', 'GB'][power]}`;
}
