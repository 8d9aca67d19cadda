/** Prints when the modules of the process have started, which is when a worker claims work, and when they have stopped. */
export default class ReportingModule {
  onApplicationBootstrap() {
    process.stdout.write('The modules have started.\n');
    if (process.env.STOP_AT_START) process.kill(process.pid, 'SIGTERM');
  }

  onApplicationShutdown() {
    process.stdout.write('The modules have stopped.\n');
  }
}
