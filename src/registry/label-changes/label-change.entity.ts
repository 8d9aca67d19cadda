import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { CreatedAtColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';

/** Kinds of items with labels. */
export const LABELLED_KINDS = ['prompt', 'tool', 'workflow', 'skill_collection'] as const;
export type LabelledKindName = (typeof LABELLED_KINDS)[number];

/** All but `open` are final. */
export const CHANGE_STATES = ['open', 'approved', 'rejected', 'cancelled', 'outdated'] as const;
export type ChangeState = (typeof CHANGE_STATES)[number];

/** Why a request cannot be approved any more. */
export const OUTDATED_REASONS = ['label_moved', 'item_deleted', 'asker_left', 'expired'] as const;
export type OutdatedReason = (typeof OUTDATED_REASONS)[number];

/** A request to move, create or remove a label, which a second person approves or rejects. */
@Entity('label_changes')
@Index('label_changes_open_key', { synchronize: false })
@Index('label_changes_created_idx', ['workspaceId', 'createdAt', 'id'])
export class LabelChange {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  kind: LabelledKindName;

  /** The id of the prompt, tool, workflow or skill collection, as text. */
  @Column({ name: 'item_id', type: 'text' })
  itemId: string;

  /** Its name when the change was asked for. */
  @Column({ name: 'item_name', type: 'text' })
  itemName: string;

  @Column({ type: 'text' })
  label: string;

  /** The number of the version that had the label when the change was asked for; null for a new label. */
  @Column({ name: 'from_version', type: 'integer', nullable: true })
  fromVersion: number | null;

  /** The number of the version that gets the label; null to remove it. */
  @Column({ name: 'to_version', type: 'integer', nullable: true })
  toVersion: number | null;

  @Column({ type: 'text' })
  reason: string;

  /** The key or the member. */
  @Column({ name: 'asked_by', type: 'integer' })
  askedBy: number;

  /** The user who asked, or who created the service key that asked; null if unknown. */
  @Column({ name: 'asked_user_id', type: 'integer', nullable: true })
  askedUserId: number | null;

  /** State of the row. It stays `open` after `expires_at`: see `stateOf`. */
  @Column({ type: 'text', default: 'open' })
  state: ChangeState;

  @Column({ name: 'outdated_because', type: 'text', nullable: true })
  outdatedBecause: OutdatedReason | null;

  /** The key or the member who approved, rejected or cancelled. */
  @Column({ name: 'decided_by', type: 'integer', nullable: true })
  decidedBy: number | null;

  @Column({ name: 'decision_reason', type: 'text', nullable: true })
  decisionReason: string | null;

  @Column({ name: 'decided_at', type: 'timestamptz', precision: 3, nullable: true })
  decidedAt: Date | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;

  @CreatedAtColumn()
  createdAt: Date;
}

type WithState = Pick<LabelChange, 'state' | 'outdatedBecause' | 'expiresAt'>;

/** The state now. Nothing has to happen for a request to expire. */
export function stateOf({ state, outdatedBecause, expiresAt }: WithState) {
  const isExpired = state === 'open' && expiresAt.getTime() <= Date.now();
  return isExpired ? ({ state: 'outdated', outdatedBecause: 'expired' } as const) : { state, outdatedBecause };
}
