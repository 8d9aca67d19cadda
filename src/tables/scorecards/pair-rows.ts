/** A pair of rows of two calculations; null where one has no such row. */
export type RowPairs = [first: number | null, second: number | null][];

/** Pairs rows of one sheet by their indexes. */
export function pairByIndex(first: number[], second: number[]): RowPairs {
  const known = new Set(first);
  const both = new Set(second);
  const added = second.filter((row) => !known.has(row));
  return [
    ...first.map((row): RowPairs[number] => [row, both.has(row) ? row : null]),
    ...added.map((row): RowPairs[number] => [null, row]),
  ];
}

/** The values of a row in the input columns, as digests in the order of the columns; null for a blank cell. */
export type RowInputs = ReadonlyMap<number, readonly (string | null)[]>;

/**
 * Pairs rows of two sheets whose inputs are all equal. Rows with the same inputs are paired in their order, and a row
 * without inputs stays alone.
 */
export function pairByInputs(
  first: [rows: number[], inputs: RowInputs],
  second: [rows: number[], inputs: RowInputs],
): RowPairs {
  const waiting = new Map<string, number[]>();
  const alone: RowPairs = [];
  const [rows, inputs] = second;
  for (const row of rows.toReversed()) {
    const key = keyOf(inputs.get(row));
    if (key === null) alone.push([null, row]);
    else if (waiting.has(key)) waiting.get(key)!.push(row);
    else waiting.set(key, [row]);
  }
  const pairs = first[0].map((row): RowPairs[number] => {
    const key = keyOf(first[1].get(row));
    return [row, (key === null ? undefined : waiting.get(key)?.pop()) ?? null];
  });
  const left = [...waiting.values()].flat().map((row): RowPairs[number] => [null, row]);
  return [...pairs, ...left, ...alone];
}

function keyOf(inputs: readonly (string | null)[] | undefined): string | null {
  return inputs && inputs.some((input) => input !== null) ? inputs.map((input) => input ?? '').join(' ') : null;
}

/** Rows with inputs but without a partner, on both sides, and the columns in which they differ. */
export interface Mismatch {
  first: number;
  second: number;
  /** Positions of columns. */
  columns: number[];
}

/** null when all rows of one side have partners. */
export function findMismatch(pairs: RowPairs, firstInputs: RowInputs, secondInputs: RowInputs): Mismatch | null {
  const inputsOf = (known: RowInputs, row: number | null) => {
    const inputs = row === null ? undefined : known.get(row);
    return inputs && keyOf(inputs) !== null ? [inputs] : [];
  };
  const first = pairs.flatMap(([row, other]) => (other === null ? inputsOf(firstInputs, row) : []));
  const second = pairs.flatMap(([other, row]) => (other === null ? inputsOf(secondInputs, row) : []));
  if (first.length === 0 || second.length === 0) return null;
  const valuesAt = (side: typeof first, place: number) => new Set(side.map((inputs) => inputs[place] ?? ''));
  const columns = first[0]!.flatMap((_, place) => {
    const [of, others] = [valuesAt(first, place), valuesAt(second, place)];
    return of.size === others.size && [...of].every((value) => others.has(value)) ? [] : [place];
  });
  return { first: first.length, second: second.length, columns };
}
