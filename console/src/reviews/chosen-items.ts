/** Rows beyond this number are no rows of a sheet. */
const MOST_ROWS = 10_000;

/** Converts row numbers such as “1-20, 35” into indexes. Throws an Error that names an invalid number. */
export function rowsIn(text: string): number[] {
  const rows = partsOf(text).flatMap((part) => {
    const range = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(part);
    const [from, to] = [Number(range?.[1]), Number(range?.[2] ?? range?.[1])];
    if (!range || from < 1 || to < from) throw new Error(`“${part}” is no row number. Write such as 1-20, 35.`);
    if (to - from >= MOST_ROWS) throw new Error(`A queue has at most ${MOST_ROWS} items.`);
    return Array.from({ length: to - from + 1 }, (_, at) => from - 1 + at);
  });
  return [...new Set(rows)];
}

/** Ids of requests, separated by spaces, commas or lines. */
export function requestsIn(text: string): number[] {
  return [...new Set(partsOf(text))].map((part) => {
    if (!/^\d{1,15}$/.test(part)) throw new Error(`“${part}” is no id of a request.`);
    return Number(part);
  });
}

export const tracesIn = (text: string): string[] => [...new Set(partsOf(text))];

const partsOf = (text: string): string[] =>
  text
    .replaceAll(/\s*-\s*/g, '-')
    .split(/[\s,;]+/)
    .filter(Boolean);
