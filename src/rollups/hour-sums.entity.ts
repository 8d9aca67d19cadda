import { Column } from 'typeorm';

/** What the rows of an hour that have a facet add up to; the empty facet stands for all rows. */
export abstract class HourSums {
  @Column({ type: 'integer' })
  count: number;

  @Column({ type: 'integer' })
  failed: number;

  @Column({ type: 'integer' })
  unpriced: number;

  @Column({ name: 'input_tokens', type: 'bigint' })
  inputTokens: string;

  @Column({ name: 'output_tokens', type: 'bigint' })
  outputTokens: string;

  /** Of the empty facet: true when there are rows with facets that have no sums of their own. */
  @Column({ name: 'facets_cut', type: 'boolean' })
  facetsCut: boolean;

  /** US dollars. Exact decimals: the sum must not depend on the order of the rows. */
  @Column({ type: 'numeric' })
  cost: string;

  /** See `latency-sketch.ts`. */
  @Column({ type: 'bytea' })
  latencies: Buffer;
}
