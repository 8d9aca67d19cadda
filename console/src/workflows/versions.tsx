import { Moment } from '../ui/moment';
import { Failure } from '../ui/parts';
import { More, Table } from '../ui/table';
import { VersionTable } from '../versions/version-table';
import type { useRuns, useVersions } from './use-workflow';
import { duration } from '../ui/format';

interface VersionsProps {
  list: ReturnType<typeof useVersions>;
  shown: number;
  onShow: (version: number) => void;
}

/** The versions of a workflow with their labels. */
export function Versions({ list, shown, onShow }: VersionsProps) {
  return (
    <section className="version">
      <header>
        <h2>Versions</h2>
      </header>
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      <VersionTable
        rows={list.items}
        numberOf={({ version_number: n }) => n}
        labelsOf={({ release_labels: labels }) => labels}
        shown={shown}
        onShow={onShow}
        columns={[
          { name: 'Message', className: 'breaks', cell: ({ commit_message }) => commit_message ?? '' },
          { name: 'Saved', cell: ({ created_at }) => <Moment at={created_at} /> },
        ]}
      />
      <More list={list} />
    </section>
  );
}

interface RunsProps {
  list: ReturnType<typeof useRuns>;
  /** The id of the run that is shown; empty for none. */
  shown: string;
  onShow: (run: { id: number; version: number }) => void;
}

/** The runs of a workflow, the newest first. */
export function Runs({ list, shown, onShow }: RunsProps) {
  const isShown = (id: number) => String(id) === shown;
  return (
    <section className="version">
      <header>
        <h2>Runs</h2>
      </header>
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && list.items.length === 0 && <p>This workflow was never run.</p>}
      {list.items.length > 0 && (
        <Table
          label="Runs"
          rows={list.items}
          keyOf={({ workflow_version_execution_id: id }) => id}
          classOf={({ workflow_version_execution_id: id }) => (isShown(id) ? 'chosen' : undefined)}
          columns={[
            {
              name: 'Run',
              cell: ({ workflow_version_execution_id: id, version_number: version }) => (
                <button className="link" aria-pressed={isShown(id)} onClick={() => onShow({ id, version })}>
                  {id}
                </button>
              ),
            },
            { name: 'State', cell: ({ status }) => status },
            { name: 'Version', cell: ({ version_number }) => `v${version_number}` },
            { name: 'Started', cell: ({ created_at }) => <Moment at={created_at} /> },
            { name: 'Took', className: 'number', cell: ({ created_at, finished_at }) => took(created_at, finished_at) },
            {
              name: 'Metadata',
              className: 'breaks',
              cell: ({ metadata }) =>
                Object.entries(metadata)
                  .map(([name, value]) => `${name}: ${value}`)
                  .join(', '),
            },
          ]}
        />
      )}
      <More list={list} />
    </section>
  );
}

/** Duration of a run in words. */
export const took = (from: string, to: string | null): string =>
  duration(to === null ? null : Date.parse(to) - Date.parse(from));
