import { SheetLink } from '../activity/sheet-job';
import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { SheetScoreBody } from '../api/schema.gen';
import { count, UNKNOWN } from '../ui/format';
import { Moment } from '../ui/moment';
import { Failure } from '../ui/parts';
import { More, Table } from '../ui/table';
import { estimateText } from './verdict';

/** Newest results of the sheets of tables. Each links to its score and the history. */
export function SheetScores() {
  const list = useCursorList(['sheet-scores'], (cursor, signal) =>
    api('GET /api/public/v2/sheet-scores', { query: { cursor }, signal }),
  );
  return (
    <section className="page-list">
      <h2>Scores of sheets</h2>
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && list.items.length === 0 && (
        <p className="quiet-text">
          No sheet has a score. Open a sheet and choose “Score” to say how good its rows are.
        </p>
      )}
      {list.items.length > 0 && (
        <Table
          label="Scores of sheets"
          rows={list.items}
          keyOf={({ sheet_id }) => sheet_id}
          columns={[
            { name: 'Sheet', cell: (item) => <SheetLink {...item} side="score" /> },
            { name: 'Table', cell: ({ table_title }) => table_title },
            { name: 'Score (95 % interval)', className: 'number', cell: scoreOf },
            { name: 'Verdict', cell: ({ verdict }) => <Verdict verdict={verdict} /> },
            { name: 'Version', className: 'number', cell: versionOf },
            { name: 'Calculated', cell: ({ calculated_at }) => <Moment at={calculated_at} /> },
          ]}
        />
      )}
      <More list={list} />
    </section>
  );
}

const scoreOf = (item: SheetScoreBody): string => estimateText(item, item.confidence_interval?.method === 'wilson');

const versionOf = ({ version, sheet_version: now }: SheetScoreBody): string =>
  version === now ? count(version) : `${count(version)}, now ${count(now)}`;

function Verdict({ verdict }: { verdict: string | null }) {
  return <span className={verdict === 'fail' || verdict === 'error' ? 'bad' : undefined}>{verdict ?? UNKNOWN}</span>;
}
