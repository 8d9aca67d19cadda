import { Panel } from '../ui/panel';
import { Score } from './score';
import type { SideProps } from './state';
import { Versions } from './versions';

/** What stands beside the grid: versions, or the score. */
export function SidePanel({ state, set }: SideProps) {
  const isScore = state.side === 'score';
  const title = isScore ? 'Score' : 'Versions';
  return (
    <Panel label={title} title={title} onClose={() => set({ side: '' }, { replace: true })}>
      {isScore ? <Score set={set} /> : <Versions state={state} set={set} />}
    </Panel>
  );
}
