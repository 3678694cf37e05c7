// The download for players: an executable under the name that opens the program for players, with our drawing.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Resvg } from '@resvg/resvg-js'
import { Data, NtExecutable, NtExecutableResource, Resource } from 'resedit'

const NAME = 'Fish Collection'
const FILE_NAME = NAME.replace(' ', '-')
const DRAWING = fileURLToPath(new URL('../../server/web/src/icon.svg', import.meta.url))

const draw = (width: number) =>
  new Resvg(readFileSync(DRAWING, 'utf8'), { fitTo: { mode: 'width', value: width } }).render().asPng()

/** IMAGE_SUBSYSTEM_WINDOWS_GUI: Windows opens no console window. */
const WINDOWS_GUI = 2
const ENGLISH = { lang: 1033, codepage: 1200 }

/** Replaces Node's icon and version, and removes Node's signature, which each change of the program would break. */
export function brandForWindows(program: Buffer, version: string): Buffer {
  const executable = NtExecutable.from(program, { ignoreCert: true })
  const resources = NtExecutableResource.from(executable)
  const icons = [16, 24, 32, 48, 64, 128, 256].map((width) => Data.RawIconItem.from(draw(width), width, width, 32))
  for (const { id, lang } of Resource.IconGroupEntry.fromEntries(resources.entries))
    Resource.IconGroupEntry.replaceIconsForResource(resources.entries, id, lang, icons)
  const [node] = Resource.VersionInfo.fromEntries(resources.entries)
  node?.removeAllStringValues(ENGLISH)
  node?.setStringValues(ENGLISH, { FileDescription: NAME, ProductName: NAME, LegalCopyright: 'See: fish-cli licences' })
  node?.setFileVersion(version, ENGLISH.lang)
  node?.setProductVersion(version, ENGLISH.lang)
  node?.outputToResourceEntries(resources.entries)
  resources.outputResource(executable, false, true)
  return Buffer.from(executable.generate())
}

function withoutConsole(program: Buffer): Buffer {
  const executable = NtExecutable.from(program)
  executable.newHeader.optionalHeader.subsystem = WINDOWS_GUI
  return Buffer.from(executable.generate())
}

/** The `Exec` line finds the program beside this file, wherever the folder is. */
const DESKTOP_ENTRY = String.raw`[Desktop Entry]
Type=Application
Name=${NAME}
Comment=Collect the fish and crabs that you catch
Exec=sh -c "exec \\"\\$(dirname \\"\\$0\\")/${NAME}\\"" %k
Icon=fish-collection
Terminal=false
Categories=Game;
`

/** The program has no window, so that it has no place in the Dock (LSUIElement). */
const propertyList = (version: string) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>CFBundleExecutable</key><string>${NAME}</string>
  <key>CFBundleIconFile</key><string>icon.icns</string>
  <key>CFBundleIdentifier</key><string>org.fish-crab.fish-collection</string>
  <key>CFBundleName</key><string>${NAME}</string>
  <key>CFBundlePackageType</key><string>APPL</string>
  <key>CFBundleShortVersionString</key><string>${version}</string>
  <key>CFBundleVersion</key><string>${version}</string>
  <key>LSUIElement</key><true/>
</dict>
</plist>
`

/** An .icns file: entries of a type, a length and a PNG. */
function appleIcon(): Buffer {
  const entry = (type: string, content: Buffer) => {
    const head = Buffer.from(`${type}\0\0\0\0`, 'latin1')
    head.writeUInt32BE(head.length + content.length, 4)
    return Buffer.concat([head, content])
  }
  const sizes = { ic07: 128, ic08: 256, ic09: 512, ic10: 1024 }
  return entry('icns', Buffer.concat(Object.entries(sizes).map(([type, width]) => entry(type, draw(width)))))
}

/**
 * Packs an executable for players.
 * @param work an empty folder
 * @returns the path of the download in `out`
 */
export function packForPlayers(
  executable: string,
  target: string,
  { version, work, out }: { readonly version: string; readonly work: string; readonly out: string },
): string {
  const download = (extension: string) => join(out, `${FILE_NAME}-${target}${extension}`)
  if (target.startsWith('windows')) {
    const file = download('.exe')
    writeFileSync(file, withoutConsole(readFileSync(executable)))
    return file
  }
  if (target.startsWith('linux')) {
    const archive = download('.tar.gz')
    const folder = join(work, NAME)
    mkdirSync(folder)
    copyFileSync(executable, join(folder, NAME))
    writeFileSync(join(folder, `${NAME}.desktop`), DESKTOP_ENTRY, { mode: 0o755 })
    copyFileSync(DRAWING, join(folder, 'fish-collection.svg'))
    const reproducible = [
      '--sort=name',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mtime=@0',
      '--mode=u=rwX,go=rX',
    ]
    execFileSync('tar', ['-cf', archive, '--use-compress-program=gzip -n', ...reproducible, '-C', work, NAME])
    return archive
  }
  const archive = download('.zip')
  const bundle = join(work, `${NAME}.app`)
  const put = (path: string, write: (file: string) => void) => {
    const file = join(bundle, 'Contents', path)
    mkdirSync(dirname(file), { recursive: true })
    write(file)
  }
  put('Info.plist', (file) => writeFileSync(file, propertyList(version)))
  put(`MacOS/${NAME}`, (file) => copyFileSync(executable, file))
  put('Resources/icon.icns', (file) => writeFileSync(file, appleIcon()))
  execFileSync('codesign', ['--force', '--sign', '-', bundle])
  execFileSync('ditto', ['-c', '-k', '--keepParent', bundle, archive])
  return archive
}
