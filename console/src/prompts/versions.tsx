import { Link } from 'wouter';
import type { AnswerOf } from '../api/client';
import { costOf, count, duration, UNKNOWN } from '../ui/format';
import { Moment } from '../ui/moment';
import { Choice } from '../ui/search-field';
import { More } from '../ui/table';
import { VersionTable } from '../versions/version-table';
import { withScope } from '../shell/scope';
import { callsOf } from './links';

export type ListedVersion = AnswerOf<'GET /prompt-templates/{identifier}/versions'>['data'][number];

interface Props {
  list: { items: ListedVersion[]; hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  name: string;
  /** Number of the version that is shown; undefined while it loads. */
  shown: number | undefined;
  onShow: (version: number) => void;
  /** Whose calls are counted, see `scope.tsx`. */
  origin: string;
  onOrigin: (origin: string) => void;
}

const CALLS_OF = { '': 'Calls of applications', all: 'Calls of applications and this server' };

/** The versions side by side: who gets them, and what their calls add up to. */
export function Versions({ list, name, shown, onShow, origin, onOrigin }: Props) {
  return (
    <div className="page-list">
      <Choice label="Calls of" options={CALLS_OF} value={origin} onChange={onOrigin} />
      <VersionTable
        rows={list.items}
        numberOf={({ version }) => version}
        labelsOf={({ release_labels: labels }) => labels}
        shown={shown}
        onShow={onShow}
        columns={[
          { name: 'Message', className: 'breaks', cell: ({ commit_message }) => commit_message ?? '' },
          { name: 'Published', cell: ({ created_at }) => <Moment at={created_at} /> },
          {
            name: 'Calls',
            className: 'number',
            cell: ({ version, calls }) =>
              calls.count === 0 ? (
                'none'
              ) : (
                <Link className="link" href={withScope(callsOf(name, version), { origin, env: '' })}>
                  {count(calls.count)}
                </Link>
              ),
          },
          { name: 'Failed', className: 'number', cell: ({ calls }) => <Failed {...calls} /> },
          {
            name: 'Cost',
            className: 'number',
            cell: ({ calls }) => (calls.count === 0 ? UNKNOWN : costOf(calls.cost, calls.unpriced)),
          },
          { name: 'Median latency', className: 'number', cell: ({ calls }) => duration(calls.latency_p50_ms) },
          { name: 'Scores', cell: ({ calls }) => <Scores scores={calls.scores} /> },
        ]}
      />
      <More list={list} />
    </div>
  );
}

function Failed({ count: total, failed }: { count: number; failed: number }) {
  if (total === 0) return <>{UNKNOWN}</>;
  if (failed === 0) return <>0</>;
  return <span className="bad">{`${count(failed)} (${((100 * failed) / total).toFixed(1)} %)`}</span>;
}

function Scores({ scores }: { scores: ListedVersion['calls']['scores'] }) {
  if (scores === null) return <span className="quiet-text">too many calls</span>;
  if (scores.length === 0) return UNKNOWN;
  return scores.map(({ name, count: total, average }) => (
    <div key={name}>{`${name} ${average.toFixed(1)} (${count(total)})`}</div>
  ));
}
