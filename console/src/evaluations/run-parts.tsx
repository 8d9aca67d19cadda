import type { EvaluationRunBody } from '../api/schema.gen';
import { NoWorker } from '../shell/no-worker';
import { count, rounded } from '../ui/format';

/** State and progress of a run. */
export function RunState({ run: { status, stats } }: { run: EvaluationRunBody }) {
  const { COMPLETED: done, FAILED: failed, QUEUED: queued, RUNNING: running } = stats.status_counts;
  const total = done + failed + queued + running;
  const withFailed = failed > 0 && <span className="bad">{` ${count(failed)} cells failed`}</span>;
  if (status === 'COMPLETED') return <>completed{withFailed}</>;
  return (
    <>
      <progress max={Math.max(total, 1)} value={done + failed} aria-label="Progress" />
      {` ${count(done + failed)} of ${count(total)} cells`}
      {withFailed}
      <NoWorker />
    </>
  );
}

/** The score of a run, or the reason why there is none. */
export function Score({ run: { score, score_calculation_error: problem } }: { run: EvaluationRunBody }) {
  if (problem !== null) return <span className="bad">{problem}</span>;
  return <>{rounded(score?.overall_score ?? null)}</>;
}
