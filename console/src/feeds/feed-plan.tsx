import type { FeedPlanResponse, PlannedItemsBody } from '../api/schema.gen';
import { sentenceOf } from '../api/client';
import { count, dollars } from '../ui/format';
import { Waiting } from '../ui/parts';
import { Table, type TableColumn } from '../ui/table';
import type { Source } from './feed-draft';
import type { LivePlan } from './feeds-data';

type Line = PlannedItemsBody & { title: string };

const columnsFor = (source: Source): TableColumn<Line>[] => [
  { name: 'Time', cell: ({ title, is_exact: isExact }) => (isExact ? title : `${title}, estimated`) },
  { name: source === 'requests' ? 'Requests' : 'Traces', className: 'number', cell: ({ items }) => count(items) },
  { name: 'Match, in the sample', className: 'number', cell: ({ chosen }) => count(chosen) },
  { name: 'Rows within limits', className: 'number', cell: ({ rows }) => count(rows) },
  { name: 'Cells', className: 'number', cell: ({ cells }) => count(cells) },
  { name: 'Price', className: 'number', cell: ({ price }) => dollars(price) },
];

const linesOf = ({ last_day: day, backfill }: FeedPlanResponse): Line[] => [
  { title: 'Last 24 hours', ...day },
  ...(backfill ? [{ title: 'Stored items', ...backfill }] : []),
];

/** The plan of the settings, kept up to date. */
export function PlanOf({ live: { plan, error, isWaiting }, source }: { live: LivePlan; source: Source }) {
  return (
    <section aria-label="Plan" aria-busy={isWaiting}>
      <Waiting on={isWaiting} />
      {error && (
        <p role="status" className="quiet-text breaks">
          {sentenceOf(error)}
        </p>
      )}
      {plan && (
        <Table
          label="What these settings take"
          columns={columnsFor(source)}
          rows={linesOf(plan)}
          keyOf={({ title }) => title}
        />
      )}
    </section>
  );
}
