/** Imports a module by a name only known at run time. A separate file, so that Node loads it and not Vite. */
export async function importModule(name: string): Promise<unknown> {
  return import(name);
}
