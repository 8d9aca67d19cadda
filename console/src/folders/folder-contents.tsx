import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { TickCell, TickHead, useTicks, withTicks } from '../search/ticks';
import { GuardedButton } from '../shell/permissions';
import { counted } from '../ui/format';
import { ListGrid } from '../ui/list-grid';
import { NothingLike } from '../ui/list-screen';
import { Moment } from '../ui/moment';
import { Failure, Note, Waiting } from '../ui/parts';
import { type Chosen, DeleteChosen, MoveChosen, RenameFolder } from './folder-forms';
import type { FolderKind } from './kinds';
import { EVERYTHING, type FolderNode, openFolder, pathText, TOP } from './tree';
import { type Entity, useContents, useFolders } from './use-folders';

interface Props {
  kind: FolderKind;
  folder: string;
  q: string;
  onFolder: (folder: string) => void;
}

type Open = { kind: 'move' | 'delete'; chosen: Chosen[]; isHere: boolean } | { kind: 'rename' } | null;

/** The contents of a folder, with their actions. */
export default function FolderContents({ kind, folder, q, onFolder }: Props) {
  const { tree, isSuccess } = useFolders();
  const id = openFolder(folder);
  const here = tree.byId.get(id ?? 0) ?? null;
  if (isSuccess && here === null && folder !== TOP && folder !== EVERYTHING) {
    return (
      <Note title="Folder not found" action={{ label: 'Open the top level', act: () => onFolder(TOP) }}>
        <p>It was deleted, or the link is wrong.</p>
      </Note>
    );
  }
  return <Found kind={kind} folder={folder} q={q} onFolder={onFolder} here={here} />;
}

function Found({ kind, folder, q, onFolder, here }: Props & { here: FolderNode | null }) {
  const isAll = folder === EVERYTHING;
  const list = useContents(kind.types, { folder, q, isFlat: isAll });
  const place = `${kind.home} ${folder} ${q}`;
  const [ticked, tick] = useTicks<string>(place);
  const [open, setOpen] = useState<Open>(null);
  const entities = list.data?.entities ?? [];
  const chosen = entities.filter((entity) => ticked.has(keyOf(entity)));
  const done = (isHere: boolean) => () => {
    if (!isHere) chosen.forEach((entity) => tick(keyOf(entity)));
    else if (open?.kind === 'delete') onFolder(here?.parent ? String(here.parent) : TOP);
  };
  return (
    <>
      {(!isAll || chosen.length > 0) && (
        <FolderBar title={titleOf(kind, isAll, here)} kind={kind} here={here} chosen={chosen} onOpen={setOpen} />
      )}
      <Waiting on={list.isFetching} />
      {list.error && !list.data && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && entities.length === 0 && (
        <Nothing kind={kind} q={q} isAll={isAll} onAll={() => onFolder(EVERYTHING)} />
      )}
      {entities.length > 0 && (
        <Contents kind={kind} entities={entities} place={place} ticked={ticked} onTick={tick} onFolder={onFolder} />
      )}
      <OpenDialog open={open} here={here} onDone={done} onClose={() => setOpen(null)} />
    </>
  );
}

interface DialogProps {
  open: Open;
  here: FolderNode | null;
  /** `isHere` where the open folder itself was acted on. */
  onDone: (isHere: boolean) => () => void;
  onClose: () => void;
}

function OpenDialog({ open, here, onDone, onClose }: DialogProps) {
  if (open === null) return null;
  if (open.kind === 'rename') return here && <RenameFolder folder={here} onClose={onClose} />;
  const Asked = open.kind === 'move' ? MoveChosen : DeleteChosen;
  return <Asked chosen={open.chosen} onDone={onDone(open.isHere)} onClose={onClose} />;
}

const keyOf = ({ type, id }: Entity): string => `${type} ${id}`;

const titleOf = (kind: FolderKind, isAll: boolean, here: FolderNode | null): string => {
  if (isAll) return `All ${kind.title.toLowerCase()}`;
  return here ? pathText(here) : 'Top level';
};

interface BarProps {
  title: string;
  kind: FolderKind;
  here: FolderNode | null;
  chosen: Chosen[];
  onOpen: (open: Open) => void;
}

/** Actions on the chosen entities, or else on the folder itself. */
function FolderBar({ title, kind, here, chosen, onOpen }: BarProps) {
  const isHere = chosen.length === 0;
  const acted: Chosen[] = isHere && here ? [{ id: here.id, type: 'FOLDER', name: here.name }] : chosen;
  const named = isHere ? 'the folder' : counted(chosen.length, 'item');
  return (
    <div className="folder-bar">
      <strong dir="auto" className="ellipsis">
        {title}
      </strong>
      <span className="spacer" />
      {acted.length > 0 && (
        <>
          {isHere && (
            <GuardedButton permission={kind.edit} onClick={() => onOpen({ kind: 'rename' })}>
              Rename the folder
            </GuardedButton>
          )}
          <GuardedButton permission={kind.edit} onClick={() => onOpen({ kind: 'move', chosen: acted, isHere })}>
            {`Move ${named}`}
          </GuardedButton>
          <GuardedButton permission={kind.remove} onClick={() => onOpen({ kind: 'delete', chosen: acted, isHere })}>
            {`Delete ${named}`}
          </GuardedButton>
        </>
      )}
    </div>
  );
}

function Nothing({ kind, q, isAll, onAll }: { kind: FolderKind; q: string; isAll: boolean; onAll: () => void }) {
  if (q.trim() !== '')
    return <NothingLike what={kind.what} filters={[`“${q.trim()}” in their name`]} onClear={onAll} />;
  if (isAll) {
    return (
      <Note title={`There are no ${kind.what}s yet`}>
        <p>{`Create one with “New ${kind.what}”.`}</p>
      </Note>
    );
  }
  return (
    <Note title={`There is no ${kind.what} in this folder`}>
      <p>{`Create one here, or choose ${kind.what}s elsewhere and move them into this folder.`}</p>
    </Note>
  );
}

const COLUMNS = [
  { name: 'Name', className: 'title' },
  { name: 'Folder', className: 'path' },
  { name: 'Kind', className: 'kind' },
  { name: 'Created', className: 'created' },
  { name: 'Changed', className: 'changed' },
];

interface ContentsProps {
  kind: FolderKind;
  entities: Entity[];
  place: string;
  ticked: ReadonlySet<string>;
  onTick: (key: string) => void;
  onFolder: (folder: string) => void;
}

function Contents({ kind, entities, place, ticked, onTick, onFolder }: ContentsProps) {
  const [, navigate] = useLocation();
  const hrefOf = ({ type, id }: Entity) => (type === 'FOLDER' ? `${kind.home}?folder=${id}` : kind.pathOf(id));
  return (
    <ListGrid
      label={kind.title}
      className="in-folder"
      place={place}
      items={entities}
      keyOf={keyOf}
      columns={COLUMNS}
      headCell={<TickHead />}
      more={NO_MORE}
      total={withTicks(ticked, counted(entities.length, 'item'))}
      keys={{ x: (entity) => onTick(keyOf(entity)) }}
      onOpen={(entity) => (entity.type === 'FOLDER' ? onFolder(String(entity.id)) : navigate(hrefOf(entity)))}
      cellsOf={() => (entity) => (
        <>
          <TickCell
            label={`Choose ${entity.name}`}
            isTicked={ticked.has(keyOf(entity))}
            onTick={() => onTick(keyOf(entity))}
          />
          <div role="gridcell" dir="auto">
            <Link href={hrefOf(entity)} tabIndex={-1}>
              {entity.name}
            </Link>
          </div>
          <div role="gridcell" dir="auto" className="path quiet-text">
            {entity.path.join(' / ')}
          </div>
          <div role="gridcell" className="quiet-text">
            {entity.type.toLowerCase()}
          </div>
          <div role="gridcell" className="created">
            <Moment at={entity.created_at} />
          </div>
          <div role="gridcell">
            <Moment at={entity.updated_at} />
          </div>
        </>
      )}
    />
  );
}

const NO_MORE = { has: false, failed: false, load: () => undefined };
