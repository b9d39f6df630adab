import { loadPyodide } from 'pyodide'

/**
 * Runs Python as it stands and gives what it prints: CPython in WebAssembly, so that a machine needs none of its own.
 *
 * @param files - What lies in the program's folder.
 */
export async function runPython(program: string, files: Readonly<Record<string, string>>): Promise<string> {
  const lines: string[] = []
  const python = await loadPyodide({ stdout: (line) => void lines.push(line) })
  for (const [name, text] of Object.entries(files)) python.FS.writeFile(name, text)
  await python.runPythonAsync(program)
  return lines.join('\n')
}
