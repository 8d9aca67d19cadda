import { Icon } from '../ui/icons';
import { Score } from './score';
import type { SideProps } from './state';
import { Versions } from './versions';

/** What stands beside the grid: versions, or the score. */
export function SidePanel({ state, set }: SideProps) {
  const isScore = state.side === 'score';
  return (
    <aside className="panel side" aria-label={isScore ? 'Score' : 'Versions'}>
      <header>
        <h2>{isScore ? 'Score' : 'Versions'}</h2>
        <span className="spacer" />
        <button
          className="button quiet"
          aria-label="Close the panel"
          title="Esc"
          onClick={() => set({ side: '' }, { replace: true })}
        >
          <Icon name="close" />
        </button>
      </header>
      <div
        className="panel-body"
        tabIndex={0}
        role="group"
        aria-label={isScore ? 'Score of the sheet' : 'Versions of the sheet'}
      >
        {isScore ? <Score set={set} /> : <Versions state={state} set={set} />}
      </div>
    </aside>
  );
}
