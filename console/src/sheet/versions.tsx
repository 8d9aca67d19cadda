import { type FormEvent, type ReactNode, useState } from 'react';
import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { VersionBody } from '../api/schema.gen';
import { useMay } from '../shell/permissions';
import { FormDialog } from '../ui/form';
import { rounded } from '../ui/format';
import { Moment } from '../ui/moment';
import { Failure, Waiting } from '../ui/parts';
import { More } from '../ui/table';
import { useKept } from '../ui/unsaved';
import { Diff } from './diff';
import { foldVersions } from './fold-versions';
import { noticeOf, SHEET, useSheet } from './sheet-data';
import type { SideProps } from './state';

const VERSIONS = `${SHEET}/versions` as const;

/** The versions of a sheet: what happened, what differs, and the way back. */
export function Versions({ state, set }: SideProps) {
  const { path, canEdit } = useSheet();
  const mayRestore = useMay('TABLE_EDIT');
  const [compared, setCompared] = useState<VersionBody | null>(null);
  const [restored, setRestored] = useState<VersionBody | null>(null);
  const list = useCursorList(['sheet', path, 'versions'], async (cursor, signal) => {
    const { data, pagination } = await api(`GET ${VERSIONS}`, { path, query: { limit: 50, cursor }, signal });
    return { data, next_cursor: pagination.next_cursor };
  });
  const restoring = restored && (
    <Restore version={restored} onClose={() => setRestored(null)} onDone={() => setCompared(null)} />
  );
  const show = (version: VersionBody) => (
    <Version
      key={version.id}
      version={version}
      isNewest={version === list.items[0]}
      isShown={state.at === String(version.version_number)}
      onCompare={() => setCompared(version)}
      onLook={() => set({ at: String(version.version_number), status: '' })}
      onRestore={mayRestore ? () => setRestored(version) : null}
    />
  );
  if (compared) {
    return (
      <Diff version={compared} onBack={() => setCompared(null)} onRestore={() => setRestored(compared)}>
        {restoring}
      </Diff>
    );
  }
  return (
    <>
      {canEdit && <NameVersion />}
      <Waiting on={list.isFetching} />
      {list.error && list.items.length === 0 && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      <ol className="versions lines" aria-label="Versions">
        {foldVersions(list.items).map((line) =>
          Array.isArray(line) ? <Folded key={line[0]!.id} versions={line} show={show} /> : show(line),
        )}
      </ol>
      <More list={list} />
      {restoring}
    </>
  );
}

/** Versions with computed results only, folded into one line. */
function Folded({ versions, show }: { versions: VersionBody[]; show: (version: VersionBody) => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <>{versions.map(show)}</>;
  const [newest, oldest] = [versions[0]!, versions.at(-1)!];
  return (
    <li>
      <p>
        <b>{`Versions ${oldest.version_number} to ${newest.version_number}`}</b>
      </p>
      <p className="quiet-text">
        <Moment at={oldest.created_at} /> to <Moment at={newest.created_at} /> · cells computed
      </p>
      <div className="actions">
        <button className="button" onClick={() => setOpen(true)}>
          {`Show ${versions.length} versions`}
        </button>
      </div>
    </li>
  );
}

interface VersionProps {
  version: VersionBody;
  isNewest: boolean;
  isShown: boolean;
  onCompare: () => void;
  onLook: () => void;
  /** Null for those who may not. */
  onRestore: (() => void) | null;
}

function Version({ version, isNewest, isShown, onCompare, onLook, onRestore }: VersionProps) {
  const { name, version_number: number, score, created_at: at, created_by: by } = version;
  return (
    <li aria-current={isShown ? 'true' : undefined}>
      <p>
        <b dir="auto">{nameOf(version)}</b>
        {name && <span className="quiet-text">{` version ${number}`}</span>}
        {isNewest && <span className="quiet-text"> now</span>}
        {score.aggregate_score !== undefined && (
          <span className="score">{`score ${rounded(score.aggregate_score)}`}</span>
        )}
      </p>
      <p className="quiet-text">
        <Moment at={at} />
        {` · ${by ?? 'the server'} · ${what(version)}`}
      </p>
      {!isNewest && (
        <div className="actions">
          <button className="button" onClick={onCompare}>
            Compare with now
          </button>
          {!isShown && (
            <button className="button" onClick={onLook}>
              Open
            </button>
          )}
          {onRestore && (
            <button className="button" onClick={onRestore}>
              Restore
            </button>
          )}
        </div>
      )}
    </li>
  );
}

const nameOf = ({ name, version_number: number }: VersionBody): string => name ?? `Version ${number}`;

const DONE: Record<string, string> = {
  add: 'added',
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  move: 'moved',
  configure: 'set up',
  execution: 'cells computed',
  composition: 'linked cells updated',
};

/** `cells.update` as people read it: cells changed. */
function what({ deltas, metadata }: VersionBody): string {
  const [first] = deltas as { type?: unknown }[];
  const names = typeof first?.type === 'string' ? first.type.split(/[._]/) : ['saved'];
  const words = names.map((name) => DONE[name] ?? name).join(' ');
  return metadata.delta_count > 1 ? `${words} and ${metadata.delta_count - 1} more` : words;
}

function NameVersion() {
  const { path, refresh, notify } = useSheet();
  const [name, setName] = useKept(`name of a version of ${path.sheet_id}`);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await api(`POST ${VERSIONS}`, { path, body: { name: name.trim() } });
      setName('');
      refresh();
    } catch (error) {
      notify(noticeOf(error));
    }
  };
  return (
    <form className="name-version" onSubmit={(event) => void save(event)}>
      <input
        dir="auto"
        className="field"
        aria-label="Name of this version"
        placeholder="Name this version"
        required
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <button className="button">Save</button>
    </form>
  );
}

function Restore({ version, onClose, onDone }: { version: VersionBody; onClose: () => void; onDone: () => void }) {
  const { path, refresh, notify } = useSheet();
  const restore = async () => {
    const { version: made } = await api(`POST ${VERSIONS}`, { path, body: { source_version_id: version.id } });
    notify({ text: `Version ${version.version_number} is restored, as version ${made.version_number}.` });
    refresh();
    onClose();
    onDone();
  };
  return (
    <FormDialog
      title={`Restore ${nameOf(version)}?`}
      submit="Restore"
      cancel="Cancel"
      onSubmit={restore}
      onClose={onClose}
    >
      <p>Restores the sheet as a new version. Running calculations are cancelled first.</p>
    </FormDialog>
  );
}
