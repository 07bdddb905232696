/** What of git's own variables says who commits, where its settings lie, and how it reaches other machines. */
const KEPT =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH|SSH|SSH_COMMAND|ASKPASS|SSL_\w+|LFS_\w+)$/;

/**
 * An environment in which git finds the repository by the folder it is started in: variables such as `GIT_DIR` and
 * `GIT_INDEX_FILE`, which git sets for hooks and rebases, would lead it to another one. Identity, settings and
 * transport stay.
 */
export function gitEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^GIT_/i.test(name) || KEPT.test(name)));
}
