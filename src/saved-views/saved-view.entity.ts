import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const SCREENS = ['requests', 'traces', 'sessions', 'trends'] as const;
export type Screen = (typeof SCREENS)[number];

/** A named state of a screen of the console: its URL parameters. */
@Entity('saved_views')
@Index('saved_views_created_idx', ['workspaceId', 'createdAt', 'id'])
@Index('saved_views_shared_key', { synchronize: false })
@Index('saved_views_private_key', { synchronize: false })
export class SavedView {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'saved_views_pkey' })
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'saved_views_pkey' })
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
  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
