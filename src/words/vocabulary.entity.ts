import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';

/**
 * A word that occurs, or occurred, in a text of a workspace, for searches by a part of a word. It is written before the word can
 * be found in the index, see `Vocabulary`.
 */
@Entity('vocabulary')
@Index('vocabulary_parts_idx', { synchronize: false })
export class VocabularyWord {
  @WorkspaceColumn()
  workspaceId: number;

  /** The form in the index, without the workspace. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  word: string;

  /** In UTC. The latest day from which the retention counts the age of a document with the word. */
  @Column({ name: 'last_day', type: 'date' })
  lastDay: string;
}

/** Counts removals of words from the vocabulary of a workspace, because processes cache its words. */
@Entity('vocabulary_resets')
export class VocabularyReset {
  @WorkspaceColumn()
  workspaceId: number;

  @Column({ type: 'integer' })
  number: number;
}
