package runtime

import (
	"path"
	"strings"
)

const unknownType = "application/octet-stream"

// types is the whole truth about media types here: the operating system's registry is never asked, since programs
// change it (Windows machines answer text/plain for .js). Text carries no charset, as on a plain web server: pages say
// it themselves, and modules, workers and fetch read UTF-8.
var types = map[string]string{
	// documents
	".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml", ".xht": "application/xhtml+xml",
	".svg": "image/svg+xml", ".xml": "text/xml", ".xsl": "text/xml", ".xslt": "application/xslt+xml",
	".pdf": "application/pdf", ".rtf": "application/rtf",

	// code and data
	".js": "text/javascript", ".mjs": "text/javascript", ".cjs": "text/javascript", ".jsx": "text/javascript",
	".css": "text/css", ".wasm": "application/wasm", ".json": "application/json", ".json5": "application/json5",
	".map": "application/json", ".webmanifest": "application/manifest+json", ".jsonld": "application/ld+json",
	".geojson": "application/geo+json", ".topojson": "application/json", ".txt": "text/plain", ".text": "text/plain",
	".md": "text/markdown", ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".yaml": "application/yaml",
	".yml": "application/yaml", ".toml": "application/toml", ".ini": "text/plain", ".cfg": "text/plain",
	".log": "text/plain", ".vtt": "text/vtt", ".srt": "text/plain", ".appcache": "text/cache-manifest",

	// shaders, scripts that games fetch as text
	".glsl": "text/plain", ".vert": "text/plain", ".frag": "text/plain", ".vs": "text/plain", ".fs": "text/plain",
	".wgsl": "text/wgsl", ".hlsl": "text/plain", ".shader": "text/plain", ".lua": "text/plain", ".ink": "text/plain",
	".atlas": "text/plain", ".fnt": "text/plain", ".plist": "text/xml", ".tmx": "text/xml", ".tsx": "text/xml",
	".tmj": "application/json", ".tsj": "application/json", ".ldtk": "application/json", ".po": "text/plain",

	// images
	".png": "image/png", ".apng": "image/apng", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".jfif": "image/jpeg",
	".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif", ".jxl": "image/jxl", ".bmp": "image/bmp",
	".ico": "image/x-icon", ".cur": "image/x-icon", ".tif": "image/tiff", ".tiff": "image/tiff", ".heic": "image/heic",
	".hdr": "image/vnd.radiance", ".exr": "image/x-exr", ".dds": "image/vnd.ms-dds", ".ktx": "image/ktx",
	".ktx2": "image/ktx2", ".basis": "image/basis", ".tga": "image/x-tga", ".psd": "image/vnd.adobe.photoshop",

	// sound and video
	".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".spx": "audio/ogg",
	".wav": "audio/wav", ".wave": "audio/wav", ".flac": "audio/flac", ".m4a": "audio/mp4", ".aac": "audio/aac",
	".weba": "audio/webm", ".caf": "audio/x-caf", ".aif": "audio/aiff", ".aiff": "audio/aiff", ".mid": "audio/midi",
	".midi": "audio/midi", ".mp4": "video/mp4", ".m4v": "video/mp4", ".webm": "video/webm", ".ogv": "video/ogg",
	".mov": "video/quicktime", ".mkv": "video/x-matroska", ".avi": "video/x-msvideo", ".mpg": "video/mpeg",
	".mpeg": "video/mpeg", ".m3u8": "application/vnd.apple.mpegurl", ".ts": "video/mp2t", ".mpd": "application/dash+xml",

	// fonts
	".woff2": "font/woff2", ".woff": "font/woff", ".ttf": "font/ttf", ".otf": "font/otf", ".ttc": "font/collection",
	".eot": "application/vnd.ms-fontobject",

	// models
	".gltf": "model/gltf+json", ".glb": "model/gltf-binary", ".obj": "model/obj", ".mtl": "model/mtl",
	".stl": "model/stl", ".dae": "model/vnd.collada+xml", ".usdz": "model/vnd.usdz+zip", ".vrm": "model/gltf-binary",

	// archives that games open themselves
	".zip": "application/zip", ".gz": "application/gzip", ".7z": "application/x-7z-compressed", ".tar": "application/x-tar",
	".swf": "application/x-shockwave-flash",
}

// mediaType is the type by the name's extension; letter case does not matter.
func mediaType(name string) string {
	ext := path.Ext(name)
	if t, ok := types[ext]; ok {
		return t
	}
	if t, ok := types[strings.ToLower(ext)]; ok {
		return t
	}
	return unknownType
}

// isHTML and isXHTML tell the documents that get the page script.
func isHTML(mediaType string) bool  { return mediaType == "text/html" }
func isXHTML(mediaType string) bool { return mediaType == "application/xhtml+xml" }

func isJavaScript(mediaType string) bool { return mediaType == "text/javascript" }
