import { Column, PrimaryColumn } from 'typeorm';
import { IdentityColumn, WorkspaceColumn } from '../platform/database/common-columns.js';

/** Sums over the rows of an hour that have a facet. The empty facet stands for all rows. */
export abstract class HourSums {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  facet: string;

  @PrimaryColumn({ type: 'timestamptz' })
  hour: Date;

  @PrimaryColumn({ type: 'text', collation: 'C', default: 'application' })
  origin: string;

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

  /** True if rows have facets without sums of their own. Only used in the row of the empty facet. */
  @Column({ name: 'facets_cut', type: 'boolean' })
  facetsCut: boolean;

  /** US dollars. Exact decimals: the sum must not depend on the order of the rows. */
  @Column({ type: 'numeric' })
  cost: string;

  /** See `latency-sketch.ts`. */
  @Column({ type: 'bytea' })
  latencies: Buffer;
}

/** An hour whose sums must be recomputed because one of its rows has changed; -infinity stands for all hours. */
export abstract class HourChange {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'timestamptz' })
  hour: Date;

  @IdentityColumn('bigint')
  id: string;
}
