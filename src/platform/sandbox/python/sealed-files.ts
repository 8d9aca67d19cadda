/** The file system inside the interpreter: files in memory. The package does not document it. */
export interface FileSystem {
  ErrnoError: new (code: number) => Error;
  streams: (Operations | null)[];
  currentPath: string;
  filesystems: { MEMFS: { ops_table: { file: { stream: Operations } } } };
}

type Operations = Record<string, unknown>;

const READ_ONLY_FILE_SYSTEM = 69;
const CHANGES =
  'mknod mkdir mkdirTree mkdev rename rmdir unlink symlink truncate ftruncate utime mount unmount createDevice createLazyFile ' +
  'chmod lchmod fchmod chown lchown fchown';

/** Files are not part of the restored memory, so none can be changed. Opened ones are dropped. */
export class SealedFiles {
  /** Each stream with its original operations, because closing changes it. */
  private readonly streams: { stream: Operations | null; was: Operations }[];
  private readonly path: string;

  constructor(private readonly files: FileSystem) {
    const { ErrnoError, filesystems } = files;
    const refuse = () => {
      throw new ErrnoError(READ_ONLY_FILE_SYSTEM);
    };
    for (const name of CHANGES.split(' ')) Reflect.set(files, name, refuse);
    Object.assign(filesystems.MEMFS.ops_table.file.stream, {
      write: refuse,
      allocate: refuse,
      mmap: refuse,
      msync: refuse,
    });
    this.streams = files.streams.map((stream) => ({ stream, was: { ...stream } }));
    this.path = files.currentPath;
  }

  restore(): void {
    const { files } = this;
    files.currentPath = this.path;
    for (const { stream, was } of this.streams) if (stream) Object.assign(stream, was);
    files.streams.splice(0, files.streams.length, ...this.streams.map(({ stream }) => stream));
  }
}
