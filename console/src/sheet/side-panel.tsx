import { lazy, Suspense } from 'react';
import { Panel } from '../ui/panel';
import { Waiting } from '../ui/parts';
import { Score } from './score';
import type { SideProps } from './state';
import { Versions } from './versions';

const Scorecard = lazy(() => import('./scorecard/scorecard'));

const TITLES: Record<string, string> = { score: 'Score', scorecard: 'Scorecard' };

/** What stands beside the grid: versions, the score, or the scorecard. */
export function SidePanel({ state, set }: SideProps) {
  const title = TITLES[state.side] ?? 'Versions';
  return (
    <Panel label={title} title={title} onClose={() => set({ side: '' }, { replace: true })}>
      {title === 'Score' && <Score set={set} />}
      {title === 'Scorecard' && (
        <Suspense fallback={<Waiting on />}>
          <Scorecard />
        </Suspense>
      )}
      {title === 'Versions' && <Versions state={state} set={set} />}
    </Panel>
  );
}
