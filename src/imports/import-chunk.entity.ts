import { Column, Entity, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import { ImportOperation } from './import-operation.entity.js';

/** A piece of the file of an import. Deleted when the import has ended. */
@Entity('import_chunks')
export class ImportChunk {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'operation_id', type: 'text' })
  operationId: string;

  @ManyToOne(() => ImportOperation, { onDelete: 'CASCADE' })
  @JoinInWorkspace('operation_id', 'import_chunks_operation_id_fkey')
  operation?: Relation<ImportOperation>;

  @PrimaryColumn({ type: 'integer' })
  number: number;

  @Column({ type: 'bytea' })
  content: Buffer;
}
