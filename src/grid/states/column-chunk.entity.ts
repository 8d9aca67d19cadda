import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';
import type { RowSet } from '../shared/row-set.js';
import { rowSetColumn } from '../shared/row-set.transformer.js';

/** The stale and failed cells of a computed column, for 1,000 rows. */
abstract class ChunkRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'column_key', type: 'bigint' })
  columnKey: string;

  @PrimaryColumn({ name: 'chunk_no', type: 'integer' })
  chunkNo: number;

  /** Rows whose value does not match their current inputs, with those never computed. */
  @Column({ type: 'int4multirange', transformer: rowSetColumn })
  stale: RowSet;

  /** Rows whose last computation failed. */
  @Column({ type: 'int4multirange', transformer: rowSetColumn })
  failed: RowSet;
}

/** The current state of a chunk. A chunk without a row has no stale or failed cell. */
@Entity('column_chunks')
export class ColumnChunk extends ChunkRow {
  /** The sheet version of the last change. */
  @Column({ type: 'integer' })
  version: number;
}

/** The state of a chunk from one version of its sheet up to, but not including, another. */
@Entity('column_chunk_history')
export class ColumnChunkHistory extends ChunkRow {
  @Column({ name: 'version_from', type: 'integer' })
  versionFrom: number;

  @PrimaryColumn({ name: 'version_to', type: 'integer' })
  versionTo: number;
}
