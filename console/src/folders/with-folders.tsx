import './folders.css';
import { lazy, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { GuardedButton } from '../shell/permissions';
import { Refused } from '../ui/parts';
import { WhenLoaded } from '../ui/when-loaded';
import { NewFolder } from './folder-forms';
import type { FolderKind } from './kinds';
import { EVERYTHING, type FolderNode, type FolderTree, lineOf, openFolder, TOP } from './tree';
import { useFolders } from './use-folders';

const FolderContents = lazy(() => import('./folder-contents'));

interface Props {
  kind: FolderKind;
  /** Id of the open folder, as the URL has it. */
  folder: string;
  q: string;
  onFolder: (folder: string) => void;
  /** Shown where no folder is open. */
  children: ReactNode;
}

/** The folder tree beside a list. The contents of the open folder replace the list. */
export function WithFolders({ kind, folder, q, onFolder, children }: Props) {
  return (
    <div className="with-folders">
      <Tree kind={kind} folder={folder} onFolder={onFolder} />
      <div className="folder-main">
        {folder === EVERYTHING ? (
          children
        ) : (
          <WhenLoaded>
            <FolderContents kind={kind} folder={folder} q={q} onFolder={onFolder} key={folder} />
          </WhenLoaded>
        )}
      </div>
    </div>
  );
}

type TreeProps = Pick<Props, 'kind' | 'folder' | 'onFolder'>;

function Tree({ kind, folder, onFolder }: TreeProps) {
  const { tree, error } = useFolders();
  const [isMaking, setMaking] = useState(false);
  const id = openFolder(folder);
  return (
    <nav className="folder-tree" aria-label="Folders">
      <ul>
        <Line kind={kind} to={EVERYTHING} folder={folder} name={`All ${kind.title.toLowerCase()}`} />
        <Line kind={kind} to={TOP} folder={folder} name="Top level" />
        <Folders kind={kind} folder={folder} nodes={tree.roots} line={lineOf(tree, id ?? 0)} tree={tree} />
      </ul>
      <Refused error={error} />
      <GuardedButton permission={kind.create} className="button quiet" onClick={() => setMaking(true)}>
        New folder
      </GuardedButton>
      {isMaking && (
        <NewFolder
          parent={tree.byId.get(id ?? 0) ?? null}
          onMade={(made) => onFolder(String(made))}
          onClose={() => setMaking(false)}
        />
      )}
    </nav>
  );
}

interface FoldersProps extends Omit<TreeProps, 'onFolder'> {
  nodes: FolderNode[];
  /** The open folder and its ancestors: only their folders are shown. */
  line: Set<number>;
  tree: FolderTree;
}

function Folders({ nodes, line, ...props }: FoldersProps) {
  return nodes.map((node) => (
    <Line key={node.id} to={String(node.id)} name={node.name} {...props}>
      {line.has(node.id) && node.children.length > 0 && (
        <ul>
          <Folders nodes={node.children} line={line} {...props} />
        </ul>
      )}
    </Line>
  ));
}

function Line(props: { kind: FolderKind; to: string; folder: string; name: string; children?: ReactNode }) {
  const { kind, to, folder, name, children } = props;
  return (
    <li>
      <Link
        dir="auto"
        className="ellipsis"
        title={name}
        href={to === EVERYTHING ? kind.home : `${kind.home}?folder=${to}`}
        aria-current={to === folder ? 'page' : undefined}
      >
        {name}
      </Link>
      {children}
    </li>
  );
}
