import { between } from '../api/histogram';
import { period } from './format';

/** The time range of a list in the URL: the last hours or days, or a range between two moments. */
export const TIME = { days: '', from: '', to: '' };
export type TimeState = typeof TIME;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The next full minute: a range up to it has the calls that were just sent. */
export const nextMinute = (now: number): number => (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;

/** Values of `days`, with their lengths in hours. */
const SPANS: readonly (readonly [value: string, title: string, hours: number])[] = [
  ['hour', 'Last hour', 1],
  ['1', 'Last 24 hours', 24],
  ['7', 'Last 7 days', 168],
  ['30', 'Last 30 days', 720],
  ['90', 'Last 90 days', 2160],
];

export const SPAN_CHOICES = SPANS.map(([value, title]) => [value, title] as const);

const spanOf = (days: string) => SPANS.find(([value]) => value === days);

/** ISO 8601; null when `days` is empty or invalid. */
export function startOf({ days }: Pick<TimeState, 'days'>, now: number): string | null {
  const span = spanOf(days);
  return span ? new Date(now - span[2] * HOUR_MS).toISOString() : null;
}

export const hasRange = ({ from, to }: Pick<TimeState, 'from' | 'to'>): boolean =>
  !Number.isNaN(Date.parse(from)) && !Number.isNaN(Date.parse(to));

/** The chosen time range as filters of a field, without its end. */
export function timeFilters(
  state: TimeState,
  field: string,
  now: number,
): { field: string; operator: string; value: string | [string, string] }[] {
  const start = startOf(state, now);
  return [
    ...(start === null ? [] : [{ field, operator: 'after', value: start }]),
    ...(hasRange(state) ? [{ field, operator: 'between', value: between(state.from, state.to) }] : []),
  ];
}

/** Describes the last hours or days. A range has a chip of its own. */
export function describeTime({ days }: TimeState): string[] {
  const span = spanOf(days);
  return span ? [`the time “${span[1]}”`] : [];
}

export const describeRange = ({ from, to }: TimeState): string => period(from, to);

const two = (value: number): string => String(value).padStart(2, '0');

/** A moment in local time, in the format of an input of day and time. */
export function toLocalInput(moment: Date): string {
  const date = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()].map(two).join('-');
  return `${date}T${[moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(':')}`;
}

/** A range from values in local time. Throws an Error with a message for people when it ends before it begins. */
export function rangeOf(from: string, to: string): Pick<TimeState, 'from' | 'to'> {
  const [start, end] = [new Date(from), new Date(to)];
  if (!(start.getTime() < end.getTime())) throw new Error('The end of the range must be after its beginning.');
  return { from: start.toISOString(), to: end.toISOString() };
}
