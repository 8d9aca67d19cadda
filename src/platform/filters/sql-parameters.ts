/** The parameters of one SQL statement, in the order of their placeholders. All parts of the statement share it. */
export class SqlParameters {
  /** @param values parameters that the statement already has. */
  constructor(readonly values: unknown[] = []) {}

  /** Adds a value and returns its placeholder, "$1" for the first. Cast it in the SQL: nothing else states its type. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
