import { lazy } from 'react';
import { Panel } from '../ui/panel';
import { WhenLoaded } from '../ui/when-loaded';
import { Score } from './score';
import type { SideProps } from './state';
import { Versions } from './versions';

const FeedsPanel = lazy(async () => ({ default: (await import('../feeds/feeds-panel')).FeedsPanel }));
const Scorecard = lazy(() => import('./scorecard/scorecard'));

const TITLES: Record<string, string> = { score: 'Score', scorecard: 'Scorecard', feeds: 'Feeds' };

/** The panel beside the grid: versions, the score, the scorecard, or feeds. */
export function SidePanel({ state, set }: SideProps) {
  const title = TITLES[state.side] ?? 'Versions';
  return (
    <Panel label={title} title={title} onClose={() => set({ side: '', feed: '', take: '' }, { replace: true })}>
      {title === 'Score' && <Score set={set} />}
      {title === 'Versions' && <Versions state={state} set={set} />}
      <WhenLoaded resetKeys={[title]}>
        {title === 'Scorecard' && <Scorecard />}
        {title === 'Feeds' && <FeedsPanel state={state} set={set} />}
      </WhenLoaded>
    </Panel>
  );
}
