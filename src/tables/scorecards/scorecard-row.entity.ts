import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';
import type { JsonValue } from '../../platform/json.js';
import type { Verdict } from './verdicts.js';

/** Verdict, score, result, error and evidence of a step. A list saves space: there are as many as rows times steps. */
export type StoredStep = [
  verdict: Verdict,
  score: number | null,
  result: JsonValue,
  error: string | null,
  evidence: JsonValue,
];

/**
 * The result of a calculation for a row. It has no foreign key to the calculation: rows are many, and are deleted with
 * it.
 */
@Entity('scorecard_rows')
export class ScorecardRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'calculation_id', type: 'uuid' })
  calculationId: string;

  @PrimaryColumn({ name: 'row_index', type: 'integer' })
  rowIndex: number;

  @Column({ type: 'text' })
  verdict: Verdict;

  @Column({ type: 'double precision', nullable: true })
  score: number | null;

  /** The verdict of the calculation that this one is compared with. */
  @Column({ name: 'previous_verdict', type: 'text', nullable: true })
  previousVerdict: Verdict | null;

  @Column({ name: 'previous_score', type: 'double precision', nullable: true })
  previousScore: number | null;

  /** Whether a scored cell was stale. */
  @Column({ name: 'is_source_stale', type: 'boolean' })
  isSourceStale: boolean;

  /** SHA-256 over the input hashes of the cells. */
  @Column({ name: 'input_hash', type: 'bytea', nullable: true })
  inputHash: Buffer | null;

  /** In the order of the steps in the plan, without those that are computed once per column. */
  @Column({ type: 'jsonb' })
  steps: StoredStep[];
}
