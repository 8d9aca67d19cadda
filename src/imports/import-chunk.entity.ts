import { Column, Entity, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import { ImportOperation } from './import-operation.entity.js';

/** A piece of the file of an import. Deleted when the import has ended. */
@Entity('import_chunks')
export class ImportChunk {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'import_chunks_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'operation_id', type: 'text', primaryKeyConstraintName: 'import_chunks_pkey' })
  operationId: string;

  @ManyToOne(() => ImportOperation, { onDelete: 'CASCADE' })
  @JoinInWorkspace('operation_id', 'import_chunks_operation_id_fkey')
  operation?: Relation<ImportOperation>;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'import_chunks_pkey' })
  number: number;

  @Column({ type: 'bytea' })
  content: Buffer;
}
