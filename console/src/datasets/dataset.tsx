import './datasets.css';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api } from '../api/client';
import { readAllNumbered, useRefresh } from '../api/lists';
import type { DatasetBody } from '../api/schema.gen';
import { DeleteChosen, MoveChosen } from '../folders/folder-forms';
import { DATASETS } from '../folders/kinds';
import { useFolderRefresh } from '../folders/use-folders';
import { GuardedButton } from '../shell/permissions';
import { counted } from '../ui/format';
import { Options } from '../ui/options';
import { Back, Failure, Note, Refused, Waiting } from '../ui/parts';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { FromFile, FromRequests } from './add-version';
import { Rows } from './rows';

/** `awaited` is a version whose rows are on their way, `add` is where those of a new one come from. */
const DEFAULTS = { version: '', q: '', page: '1', awaited: '', add: '' };
const POLL_MS = 1000;
const VERSIONS = '/api/public/v2/dataset-versions';

type Open = 'file' | 'move' | 'delete' | null;

/** One dataset: its versions, and the rows of one of them. */
export default function Dataset({ id }: { id: number }) {
  const [state, set] = useUrlState(DEFAULTS);
  const [open, setOpen] = useState<Open>(null);
  const list = useVersions(id, Number(state.awaited));
  const versions = list.data ?? [];
  useArrival(versions, state, set);
  const shown = versions.find((version) => String(version.id) === state.version) ?? versions[0];
  const name = shown?.dataset_group.name ?? 'Dataset';
  useTitle(name);
  const wait = (dataset: number) => {
    setOpen(null);
    set({ awaited: String(dataset), add: '' });
    void list.refetch();
  };
  return (
    <>
      <Head name={name} versions={versions} shown={shown} set={set} onOpen={setOpen} />
      <Waiting on={list.isFetching} />
      {state.awaited !== '' && <Awaited onStop={() => set({ awaited: '' })} />}
      <div className="screen-body dataset">
        {list.error && !list.data && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {shown ? (
          <Shown version={shown} versions={versions} state={state} set={set} onStarted={wait} />
        ) : (
          <Absent isRead={list.isSuccess} isAwaited={state.awaited !== ''} />
        )}
      </div>
      <OpenDialog open={open} id={id} name={name} onStarted={wait} onClose={() => setOpen(null)} />
    </>
  );
}

type State = typeof DEFAULTS;
type SetDataset = (change: Partial<State>, how?: { replace: boolean }) => void;

/** Opens an awaited version as soon as its rows are stored. */
function useArrival(versions: DatasetBody[], { awaited }: State, set: SetDataset): void {
  const isThere = versions.some((version) => String(version.id) === awaited && !isDraft(version));
  useEffect(() => {
    if (isThere) set({ awaited: '', version: awaited, page: '1', q: '' }, { replace: true });
  }, [isThere, set, awaited]);
}

interface HeadProps {
  name: string;
  versions: DatasetBody[];
  shown: DatasetBody | undefined;
  set: SetDataset;
  onOpen: (open: Open) => void;
}

function Head({ name, versions, shown, set, onOpen }: HeadProps) {
  return (
    <header className="screen-head">
      <Back href="/datasets" title="All datasets" />
      <h1 dir="auto" className="ellipsis" title={name}>
        {name}
      </h1>
      {shown && (
        <VersionChoice
          versions={versions}
          shown={shown}
          onChoose={(version) => set({ version, page: '1', q: '', add: '' })}
        />
      )}
      <span className="spacer" />
      <Buttons onOpen={onOpen} onRequests={() => set({ add: 'requests' })} />
    </header>
  );
}

function Buttons({ onOpen, onRequests }: { onOpen: (open: Open) => void; onRequests: () => void }) {
  return (
    <>
      <GuardedButton permission={DATASETS.edit} className="button primary" onClick={() => onOpen('file')}>
        Add a version from a file
      </GuardedButton>
      <GuardedButton permission={DATASETS.edit} onClick={onRequests}>
        Add a version from requests
      </GuardedButton>
      <GuardedButton permission={DATASETS.edit} onClick={() => onOpen('move')}>
        Move
      </GuardedButton>
      <GuardedButton permission={DATASETS.remove} onClick={() => onOpen('delete')}>
        Delete
      </GuardedButton>
    </>
  );
}

interface ShownProps {
  version: DatasetBody;
  versions: DatasetBody[];
  state: State;
  set: SetDataset;
  onStarted: (dataset: number) => void;
}

function Shown({ version, versions, state, set, onStarted }: ShownProps) {
  if (state.add === 'requests') {
    return <FromRequests group={version.dataset_group_id} onStarted={onStarted} onClose={() => set({ add: '' })} />;
  }
  return (
    <>
      <VersionActions
        version={version}
        versions={versions}
        onVersion={(chosen) => set({ version: chosen, page: '1', q: '' })}
        onStarted={onStarted}
      />
      <Rows version={version} isDraft={isDraft(version)} q={state.q} page={Number(state.page)} onChange={set} />
    </>
  );
}

interface DialogProps {
  open: Open;
  id: number;
  name: string;
  onStarted: (dataset: number) => void;
  onClose: () => void;
}

function OpenDialog({ open, id, name, onStarted, onClose }: DialogProps) {
  const [, navigate] = useLocation();
  const chosen = [{ id, type: 'DATASET' as const, name }];
  if (open === 'file') return <FromFile group={id} onStarted={onStarted} onClose={onClose} />;
  if (open === 'move') return <MoveChosen chosen={chosen} onDone={() => undefined} onClose={onClose} />;
  if (open === 'delete') {
    return <DeleteChosen chosen={chosen} onDone={() => navigate('/datasets')} onClose={onClose} />;
  }
  return null;
}

function useVersions(group: number, awaited: number) {
  return useQuery({
    queryKey: ['datasets', group],
    queryFn: ({ signal }) =>
      readAllNumbered(async (page) => {
        const query = { dataset_group_id: group, page, per_page: 100 };
        const { datasets: items, pages } = await api('GET /api/public/v2/datasets', { query, signal });
        return { items, pages };
      }),
    refetchInterval: awaited > 0 ? POLL_MS : false,
  });
}

const isDraft = ({ version_number: number }: DatasetBody): boolean => number < 0;
const titleOf = (version: DatasetBody): string => (isDraft(version) ? 'Draft' : `Version ${version.version_number}`);

function VersionChoice(props: { versions: DatasetBody[]; shown: DatasetBody; onChoose: (id: string) => void }) {
  const { versions, shown, onChoose } = props;
  return (
    <select className="field" aria-label="Version" value={shown.id} onChange={(event) => onChoose(event.target.value)}>
      <Options pairs={versions.map((version) => [String(version.id), titleOf(version)] as const)} />
    </select>
  );
}

function Awaited({ onStop }: { onStop: () => void }) {
  return (
    <div className="notice" role="status">
      <span>
        The rows of the new version are being stored. If they cannot be read, <Link href="/activity">Activity</Link>{' '}
        says why.
      </span>
      <span className="spacer" />
      <button className="button quiet" onClick={onStop}>
        Stop waiting
      </button>
    </div>
  );
}

/** Replaces the rows of a dataset that has no version yet. */
function Absent({ isRead, isAwaited }: { isRead: boolean; isAwaited: boolean }) {
  if (!isRead || isAwaited) return null;
  return (
    <Note title="Dataset not found">
      <p>It was deleted or belongs to another workspace.</p>
    </Note>
  );
}

interface ActionsProps {
  version: DatasetBody;
  versions: DatasetBody[];
  onVersion: (id: string) => void;
  /** Waits until a version is stored. */
  onStarted: (dataset: number) => void;
}

/** Actions on a version, and the source of its rows. */
function VersionActions({ version, versions, onVersion, onStarted }: ActionsProps) {
  const [, navigate] = useLocation();
  const [error, setError] = useState<Error | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const refresh = useRefresh('datasets');
  const refreshTables = useFolderRefresh();
  const body = { dataset_group_id: version.dataset_group_id };
  const attempt = (work: () => Promise<unknown>) => () => {
    setError(null);
    setWaiting(true);
    work()
      .catch((reason: Error) => setError(reason))
      .finally(() => setWaiting(false));
  };
  const saveDraft = attempt(async () => {
    const draft = await api(`POST ${VERSIONS}/save-draft`, { body });
    await refresh();
    // While its rows are being copied, the draft is not a version yet.
    onStarted(draft.draft_dataset_id);
  });
  const newDraft = attempt(async () => {
    const draft = await api(`POST ${VERSIONS}/create-draft`, { body: { ...body, source_dataset_id: version.id } });
    await refresh();
    onVersion(String(draft.draft_dataset_id));
  });
  const copy = attempt(async () => {
    const made = await api('POST /api/public/v2/datasets/{dataset_id}/to-table', {
      path: { dataset_id: version.id },
      body: {},
    });
    await refreshTables();
    navigate(`/tables/${made.table_id}/${made.sheet_id}?import=${encodeURIComponent(made.operation_id)}`);
  });
  return (
    <>
      <div className="actions">
        <span className="quiet-text">
          {`${counted(version.column_names.length, 'column')}${version.filter_params ? ', from a search of requests' : ''}`}
        </span>
        <span className="spacer" />
        {isDraft(version) ? (
          <GuardedButton permission={DATASETS.edit} disabled={isWaiting} onClick={saveDraft}>
            Save the draft as a version
          </GuardedButton>
        ) : (
          <>
            <GuardedButton permission="TABLE_CREATE" disabled={isWaiting} onClick={copy}>
              Copy to a table
            </GuardedButton>
            <GuardedButton permission={DATASETS.edit} disabled={isWaiting || versions.some(isDraft)} onClick={newDraft}>
              Create a draft
            </GuardedButton>
          </>
        )}
      </div>
      <Refused error={error} />
    </>
  );
}
