import { Column, Entity, PrimaryColumn } from 'typeorm';
import { UpdatedAtColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';

/**
 * The price of a model in a workspace, in US dollars per million tokens. Null means that the rate is not set. Names are
 * in lower case.
 */
@Entity('model_prices')
export class ModelPrice {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  provider: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  model: string;

  @Column({ type: 'float8', nullable: true })
  input: number | null;

  @Column({ type: 'float8', nullable: true })
  output: number | null;

  @Column({ name: 'cached_input', type: 'float8', nullable: true })
  cachedInput: number | null;

  @Column({ name: 'cache_write', type: 'float8', nullable: true })
  cacheWrite: number | null;

  @UpdatedAtColumn()
  updatedAt: Date;

  /** Greater than that of every earlier row. Together with the number of rows it shows whether anything changed. */
  @Column({ type: 'bigint' })
  revision: string;
}
