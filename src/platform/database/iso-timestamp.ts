/** SQL for a timestamptz as ISO 8601 in UTC with microseconds: a Date would lose these. */
export const isoTimestamp = (sql: string): string =>
  `to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
