import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { IdentityColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { RequestLog } from '../shared/request-log.entity.js';

/** A named score of a call, 0 to 100. */
@Entity('request_scores')
@Index('request_scores_name_idx', { synchronize: false })
export class RequestScore {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'log_id', type: 'bigint' })
  logId: string;

  @ManyToOne(() => RequestLog, { onDelete: 'CASCADE' })
  @JoinInWorkspace('log_id', 'request_scores_log_id_fkey')
  log?: Relation<RequestLog>;

  @PrimaryColumn({ type: 'text' })
  name: string;

  @Column({ type: 'smallint' })
  score: number;

  /** A client has added it after the call, which then never replaces it. */
  @Column({ type: 'boolean', default: true })
  tracked: boolean;

  @Column({ name: 'updated_at', type: 'timestamptz', default: () => 'now()' })
  updatedAt: Date;
}

/** Calls that belong together. */
@Entity('request_groups')
export class RequestGroup {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('integer')
  id: number;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;
}
