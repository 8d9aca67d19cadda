import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { CreatedByColumn, WorkspaceColumn } from '../platform/database/common-columns.js';
import { TimestampedRow } from '../platform/database/common-rows.js';

export const SCREENS = ['requests', 'traces', 'sessions', 'trends'] as const;
export type Screen = (typeof SCREENS)[number];

/** A named state of a screen of the console: its URL parameters. */
@Entity('saved_views')
@Index('saved_views_created_idx', ['workspaceId', 'createdAt', 'id'])
@Index('saved_views_shared_key', { synchronize: false })
@Index('saved_views_private_key', { synchronize: false })
export class SavedView extends TimestampedRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  screen: Screen;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'jsonb' })
  query: Record<string, string>;

  /** False for a view that only its maker sees. */
  @Column({ name: 'is_shared', type: 'boolean' })
  isShared: boolean;

  /** The member who saved it, also with a personal key; else the service key. */
  @CreatedByColumn()
  createdBy: number | null;
}
