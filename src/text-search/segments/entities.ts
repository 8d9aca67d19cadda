import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';

/** A part of an index of a workspace, see `Segment`. It is immutable. */
@Entity('search_segments')
@Index('search_segments_kind_idx', ['workspaceId', 'kind'])
@Index('search_segments_merged_idx', { synchronize: false })
@Check('search_segments_lists_check', 'merged_at IS NULL OR lists = 0')
export class SearchSegment {
  @WorkspaceColumn()
  workspaceId: number;

  @Column({ type: 'bigint', primary: true, generated: 'identity' })
  id: string;

  @Column({ type: 'smallint' })
  kind: number;

  @Column({ type: 'integer' })
  documents: number;

  @Column({ type: 'integer' })
  parts: number;

  /** Bytes of its terms and postings. */
  @Column({ type: 'integer' })
  bytes: number;

  /** The lowest and the highest order value of its documents. */
  @Column({ type: 'double precision' })
  low: number;

  @Column({ type: 'double precision' })
  high: number;

  /** A bit for each document, set when it has moved or was deleted; null when all are current. */
  @Column({ type: 'bytea', nullable: true })
  gone: Buffer | null;

  /** The terms of a small segment, see `packTerms`; null when they are rows. */
  @Column({ type: 'bytea', nullable: true })
  packed: Buffer | null;

  /** The number of its lists of words; 0 once they were copied into another segment. */
  @Column({ type: 'integer', default: 0 })
  lists: number;

  /** When another segment took over its contents. */
  @Column({ name: 'merged_at', type: 'timestamptz', nullable: true })
  mergedAt: Date | null;
}

/** A term of a segment whose terms are rows, see `Postings`. */
@Entity('search_postings')
export class SearchPostings {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'segment_id', type: 'bigint' })
  segmentId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  term: string;

  @Column({ type: 'integer' })
  count: number;

  @Column({ type: 'bytea' })
  ordinals: Buffer;

  @Column({ type: 'bytea', nullable: true })
  places: Buffer | null;
}

/** Some words of a list of a segment, see `WordBlock`. */
@Entity('search_word_lists')
export class SearchWordList {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'segment_id', type: 'bigint' })
  segmentId: string;

  /** Counted from 0 in the segment. */
  @PrimaryColumn({ type: 'integer' })
  list: number;

  @PrimaryColumn({ name: 'last_word', type: 'text', collation: 'C' })
  lastWord: string;

  @Column({ type: 'text', collation: 'C' })
  words: string;
}

/** A value of the documents of a segment, one after the other. */
@Entity('search_values')
export class SearchValues {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'segment_id', type: 'bigint' })
  segmentId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  name: string;

  @Column({ type: 'bytea' })
  value: Buffer;
}

/** The position of a document. */
@Entity('search_documents')
export class SearchDocument {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'smallint' })
  kind: number;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  key: string;

  @Column({ name: 'segment_id', type: 'bigint' })
  segmentId: string;

  /** Its number in the segment. */
  @Column({ type: 'integer' })
  document: number;
}
