import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A word that stands, or stood, in a text of a workspace: the ones that a part of a word belongs to are found here. It is
 * written before the word can be found in the index, see `Vocabulary`.
 */
@Entity('vocabulary')
@Index('vocabulary_parts_idx', { synchronize: false })
export class VocabularyWord {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'vocabulary_pkey' })
  workspaceId: number;

  /** As in the index, without the workspace in front. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'vocabulary_pkey' })
  word: string;

  /** In UTC: nothing has the word whose age the retention counts from a later day. */
  @Column({ name: 'last_day', type: 'date' })
  lastDay: string;
}

/** How often words were taken out of the vocabulary of a workspace: processes remember words that are in it. */
@Entity('vocabulary_resets')
export class VocabularyReset {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'vocabulary_resets_pkey' })
  workspaceId: number;

  @Column({ type: 'integer' })
  number: number;
}
