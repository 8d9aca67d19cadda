declare module 'pg-copy-streams' {
  import type { Readable, Writable } from 'node:stream';
  import type { Submittable } from 'pg';

  export function from(sql: string): Writable & Submittable;
  /** `rowCount` is known at the end of the stream. */
  export function to(sql: string): Readable & Submittable & { rowCount: number };
}
