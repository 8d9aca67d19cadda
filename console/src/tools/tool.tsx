import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import type { ToolDetailBody, ToolLabelBody, ToolVersionBody } from '../api/schema.gen';
import { diffLines } from '../diff/diff';
import { DiffLines } from '../diff/diff-lines';
import { JsonTree } from '../reading/json-tree';
import { Side } from '../reading/side';
import { GuardedButton } from '../shell/permissions';
import { Moment } from '../ui/moment';
import { Back, Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { Table } from '../ui/table';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { OpenChanges } from '../versions/open-changes';
import { compareOptions, VersionTable } from '../versions/version-table';
import { type ToolAction, ToolDialog } from './tool-dialogs';
import { versionText } from './version-text';

const DEFAULTS = { v: '', against: '' };

/** A tool with one of its versions; null for no version. */
function useTool(id: string, version: string | null) {
  return useQuery({
    queryKey: ['tool', id, version],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/tool-registry/{tool_identifier}', {
        path: { tool_identifier: id },
        query: version ? { version: Number(version) } : {},
        signal,
      }),
    enabled: version !== null,
    placeholderData: keepPreviousData,
  });
}

/** One tool: its versions, the content of the chosen one, and a test of its code. */
export default function Tool({ id }: { id: string }) {
  const [state, set] = useUrlState(DEFAULTS);
  const latest = useTool(id, '');
  const shown = useTool(id, state.v);
  const tool = shown.data?.tool_registry;
  const newest = latest.data?.tool_registry.version.number;
  const name = tool?.name ?? `Tool ${id}`;
  useTitle(name);
  const error = latest.error ?? shown.error;
  return (
    <>
      <header className="screen-head">
        <Back href="/tools" title="All tools" />
        <h1 dir="auto" className="ellipsis" title={name}>
          {name}
        </h1>
      </header>
      <Waiting on={latest.isFetching || shown.isFetching} />
      <div className="screen-body">
        {error && <Failure error={error} onRetry={() => void Promise.all([latest.refetch(), shown.refetch()])} />}
        {tool && newest !== undefined && <Shown tool={tool} latest={newest} state={state} set={set} />}
      </div>
    </>
  );
}

interface ShownProps {
  tool: ToolDetailBody;
  latest: number;
  state: typeof DEFAULTS;
  set: (change: Partial<typeof DEFAULTS>) => void;
}

function Shown({ tool, latest, state, set }: ShownProps) {
  return (
    <>
      {tool.description && (
        <p dir="auto" className="page-list">
          {tool.description}
        </p>
      )}
      <div className="page-list">
        <VersionTable
          rows={downFrom(latest)}
          numberOf={(version) => version}
          labelsOf={(version) => labelsOn(tool.labels, version)}
          shown={tool.version.number}
          onShow={(v) => set({ v: String(v), against: '' })}
        />
      </div>
      <OpenChanges kind="tool" id={String(tool.id)} />
      <Version
        tool={tool}
        latest={latest}
        against={state.against}
        onAgainst={(against) => set({ against })}
        onPublished={() => set({ v: '', against: '' })}
      />
    </>
  );
}

/** The numbers of versions have no gaps. */
const downFrom = (latest: number): number[] => Array.from({ length: latest }, (_, at) => latest - at);

const labelsOn = (labels: ToolLabelBody[], version: number): string[] =>
  labels.filter(({ version_number: on }) => on === version).map(({ name }) => name);

interface VersionProps {
  tool: ToolDetailBody;
  /** The number of the newest version. */
  latest: number;
  /** The number of the version to compare with; empty for none. */
  against: string;
  onAgainst: (version: string) => void;
  onPublished: () => void;
}

function Version({ tool, latest, against, onAgainst, onPublished }: VersionProps) {
  const [open, setOpen] = useState<ToolAction | null>(null);
  const { version } = tool;
  const other = useTool(String(tool.id), against || null);
  const options = compareOptions(downFrom(latest), version.number);
  return (
    <section className="version">
      <header>
        <h2>Version {version.number}</h2>
        <Choice label="Compare with" options={options} value={against} onChange={onAgainst} />
        <GuardedButton permission="TOOL_EDIT" disabled={!version.execution} onClick={() => setOpen('test')}>
          Test
        </GuardedButton>
        <GuardedButton permission="TOOL_EDIT" onClick={() => setOpen('edit')}>
          Edit as a new version
        </GuardedButton>
        <GuardedButton permission="TOOL_DEPLOY" onClick={() => setOpen('labels')}>
          Labels
        </GuardedButton>
        <GuardedButton permission="TOOL_EDIT" onClick={() => setOpen('describe')}>
          Edit name and description
        </GuardedButton>
        <GuardedButton permission="TOOL_DELETE" onClick={() => setOpen('delete')}>
          Delete
        </GuardedButton>
        <span className="quiet-text">
          Saved <Moment at={version.created_at} />
        </span>
      </header>
      {version.commit_message && <p dir="auto">{version.commit_message}</p>}
      {other.error && <Failure error={other.error} onRetry={() => void other.refetch()} />}
      {against && other.data ? (
        <DiffLines lines={diffLines(versionText(other.data.tool_registry.version), versionText(version))} />
      ) : (
        <Content version={version} />
      )}
      <EnvVars id={String(tool.id)} />
      {open && <ToolDialog open={open} tool={tool} onPublished={onPublished} onClose={() => setOpen(null)} />}
    </section>
  );
}

function Content({
  version: { tool_definition: definition, execution, response_schema: result },
}: {
  version: ToolVersionBody;
}) {
  const { name, description, parameters } = definition.function ?? {};
  return (
    <>
      <p dir="auto">
        <code>{name}</code> {description}
      </p>
      {parameters ? <Side title="Parameters" value={parameters} /> : <p>It has no parameters.</p>}
      {result && (
        <section className="side-of-span" aria-label="Result">
          <h3>Result</h3>
          <JsonTree value={result} />
        </section>
      )}
      {execution ? (
        <section className="side-of-span" aria-label="Code">
          <h3>{LANGUAGES[execution.language]}</h3>
          <pre className="box">{execution.code}</pre>
        </section>
      ) : (
        <p className="quiet-text">This version has no code: your application runs it.</p>
      )}
    </>
  );
}

const LANGUAGES = { python: 'Python', javascript: 'JavaScript' };

/** The names of the environment variables that the code finds, and the ends of their values. */
function EnvVars({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['tool-env-vars', id],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/tool-registry/{tool_identifier}/env-vars', { path: { tool_identifier: id }, signal }),
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data || data.tool_env_vars.length === 0) return null;
  return (
    <Table
      label="Environment variables"
      rows={data.tool_env_vars}
      keyOf={(variable) => variable.id}
      columns={[
        { name: 'Environment variable', className: 'mono', cell: ({ key }) => key },
        { name: 'Ends in', className: 'mono', cell: ({ value_suffix: end }) => (end === null ? '' : `…${end}`) },
        { name: 'Updated', cell: ({ updated_at }) => <Moment at={updated_at} /> },
      ]}
    />
  );
}
