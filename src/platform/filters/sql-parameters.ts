/** The parameters of one SQL statement, in the order of their placeholders. Everyone who adds to the statement shares it. */
export class SqlParameters {
  /** @param values those that the statement has already. */
  constructor(readonly values: unknown[] = []) {}

  /** Keeps the value and gives its placeholder, "$1" for the first. Cast it in the SQL: nothing else states its type. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
