// Conch page script, built from frontend/src. Do not edit.
(()=>{var{apply,construct,defineProperty,getOwnPropertyDescriptor}=Reflect,{AbortController,Array,ArrayBuffer,Blob,DOMException,
DataView,Error:Error2,EventSource,JSON,Map,Number,Object,Promise:Promise2,Proxy,RangeError,Set,String,TextDecoder,TextEncoder,
TypeError,URL,Uint32Array,Uint8Array,WeakMap,XMLHttpRequest,clearTimeout,encodeURIComponent,parseInt}=globalThis,{abs,floor,
fround,max,min,random}=Math,wallClock=Date.now,monotonic=globalThis.performance?globalThis.performance.now.bind(globalThis.
performance):wallClock;var fetch=bound(globalThis.fetch),setTimeout=bound(globalThis.setTimeout),setInterval=bound(globalThis.setInterval),out=globalThis.
console,console={error:out.error.bind(out),warn:out.warn.bind(out),info:out.info.bind(out)},{crypto}=globalThis,{addEventListener,
removeEventListener}=globalThis.EventTarget.prototype;function bound(method){return method&&method.bind(globalThis)}function listen(target,type,handler,options){
apply(addEventListener,target,[type,handler,options])}function unlisten(target,type,handler){apply(removeEventListener,target,
[type,handler])}function getter(proto,name){let get=proto&&getOwnPropertyDescriptor(proto,name)?.get;return get?self=>apply(
get,self,[]):self=>self[name]}function baseURL(){return globalThis.document?globalThis.document.baseURI:globalThis.location.
href}var LINE=/^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:[\]/?#@\\*%]+)(?::([0-9]{1,5}))?$/i,NAME=/^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/,
MAPPED=/^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/,IPV4=/^\d+\.\d+\.\d+\.\d+$/;function parsePattern(line){let text=line.
replace(/^\uFEFF/,"").replace(/#.*/s,"").trim(),parts=LINE.exec(text);if(!parts)return null;let port=parts[3]===void 0?0:
Number(parts[3]);if(parts[3]!==void 0&&(port<1||port>65535))return null;let host;try{host=canonicalHost(new URL(`ws://${parts[2]}\
/`).hostname)}catch{return null}let wildcard=parts[1]!==void 0;return!host||wildcard&&isIP(host)?null:{host,port,wildcard}}
function parseList(lines){let patterns=[];for(let line of lines){let pattern=parsePattern(line);pattern&&patterns.push(pattern)}
return patterns}function matches(patterns,url){let host=hostOf(url),port=portOf(url);return host?patterns.some(p=>(p.port===
0||p.port===port)&&(p.wildcard?!isIP(host)&&host.endsWith("."+p.host):host===p.host)):!1}function hostOf(url){return canonicalHost(
url.hostname)}function portOf(url){return url.port?Number(url.port):url.protocol==="wss:"||url.protocol==="https:"?443:80}
function isLocal(url){let host=hostOf(url);return host==="localhost"||host==="127.0.0.1"||host==="::1"}function canonicalHost(hostname){
if(hostname.startsWith("[")){let text=hostname.slice(1,-1),mapped=MAPPED.exec(text);if(!mapped)return text;let high=parseInt(
mapped[1],16),low=parseInt(mapped[2],16);return`${high>>8}.${high&255}.${low>>8}.${low&255}`}let name=hostname.endsWith(
".")?hostname.slice(0,-1):hostname;return name.length<=253&&NAME.test(name)?name:""}function isIP(host){return host.includes(
":")||IPV4.test(host)}var UNAVAILABLE="net: sockets work in standalone builds, the editor play-test, and Galatrix rooms of games published by \
admins (client scripts only)",ALLOWED_HOSTS="Network > Allowed hosts (network.allowedHosts in conch.json)",ANY_HOST="Net\
work > Allow any host (network.allowAnyHost in conch.json)",PROXY="network.proxy in conch.json",CONTEXTS={standalone:{sockets:!0,
plain:!0,unlisted:"switch"},"standalone-server":{sockets:!1,plain:!1,unlisted:"refuse"},"play-test":{sockets:!0,plain:!0,
unlisted:"ask"},"room-trusted":{sockets:!0,plain:!1,unlisted:"refuse"},room:{sockets:!1,plain:!1,unlisted:"refuse"},"roo\
m-server":{sockets:!1,plain:!1,unlisted:"refuse"}};function rulesOf(context){let rules=CONTEXTS[context||"standalone"];return rules&&
rules.sockets?rules:CONTEXTS.room}function decide({context,listed,allowAny,remembered,url}){let rules=rulesOf(context);return rules.
sockets?url.protocol!=="wss:"&&!rules.plain?refuse("plain-here"):url.protocol!=="wss:"&&!isLocal(url)?refuse("plain-remo\
te"):listed?{verdict:"allow",code:""}:rules.unlisted==="refuse"||rules.unlisted==="switch"&&!allowAny?refuse("not-listed"):
remembered==="yes"?{verdict:"allow",code:""}:remembered==="no"&&rules.unlisted==="ask"?refuse("answered-no"):{verdict:"a\
sk",code:""}:refuse("no-sockets")}function refuse(code){return{verdict:"refuse",code}}function createPolicy(config){let patterns=parseList(
config.allowedHosts),rules=rulesOf(config.context),own=config.ownOrigin?new URL(config.ownOrigin):null;function codeOf(url){
let{context,allowAnyHost}=config;return decide({context,listed:matches(patterns,url),allowAny:allowAnyHost,remembered:"",
url}).code}function isOwn(url){return own!==null&&hostOf(url)===hostOf(own)&&portOf(url)===portOf(own)}function ownPath(url){
return config.proxyPrefixes.some(prefix=>url.pathname.startsWith(prefix))?"":`no server answers sockets at the game's ow\
n address; map ${url.pathname} to one with ${PROXY}`}function scheme(url){if(url.protocol==="wss:")return"";if(url.protocol!==
"ws:"){let secure=url.protocol==="http:"||url.protocol==="https:";return`the scheme ${url.protocol}// is not accepted; u\
se ${secure?`wss://${url.host}`:"wss://"}`}let code=codeOf(url);return code==="plain-here"?`plain ws:// is not accepted \
here, also not to this machine; use wss://${url.host}`:code!=="plain-remote"?"":`plain ws:// is accepted only to localho\
st, 127.0.0.1 and [::1]; use wss://${url.host}`}function host(url){if(isOwn(url))return ownPath(url);let code=codeOf(url);
if(code!=="not-listed")return code==="plain-here"?scheme(url):"";let advice=`${url.host} is not an allowed host; add it \
to ${ALLOWED_HOSTS}`;return rules.unlisted!=="switch"?advice:`${advice}, or turn on ${ANY_HOST} if the player types the \
address`}function isRemotePlain(url){return url.protocol==="ws:"&&!isOwn(url)&&!isLocal(url)}return{available:config.available&&
rules.sockets,scheme,host,raw:url=>isRemotePlain(url)?host(secured(url)):host(url),upgraded:url=>isRemotePlain(url)&&matches(
patterns,secured(url))}}function secured(url){let twin=new URL(url.href);return twin.protocol="wss:",twin}var REASON_TIMEOUT=3e3;function createRelay(config,get=fetch){let ports=config.relayPorts,own=config.ownOrigin?new URL(config.
ownOrigin):null,session=randomName(),count=0,turn=min(ports.length-1,random()*ports.length|0);function far(url){return own!==
null&&hostOf(url)===hostOf(own)&&portOf(url)===portOf(own)?`ws://${own.host}${url.pathname}${url.search}`:url.href}return{
address(url,owner,raw){let id=`${session}-${(count++).toString(36)}`;if(ports.length===0)return{id,href:url.href};turn=(turn+
1)%ports.length;let query=`u=${encodeURIComponent(far(url))}&id=${id}&o=${encodeURIComponent(owner)}${raw?"&raw=1":""}`;
return{id,href:`ws://127.0.0.1:${ports[turn]}/?${query}`}},reason(id){return ports.length===0?Promise2.resolve(""):new Promise2(
resolve=>{let timer=setTimeout(resolve,REASON_TIMEOUT,"");ask(get,`${config.ownOrigin}/__conch/net/reason?id=${id}`).then(
text=>{clearTimeout(timer),resolve(text)})})}}}async function ask(get,address){try{let response=await get(address,{cache:"\
no-store",credentials:"same-origin"});if(response.status!==200)return"";let body=await response.json();return typeof body.
message=="string"?body.message:""}catch{return""}}function randomName(){let name="";for(;name.length<12;)name+=(random()*
36|0).toString(36);return name}function createLog(config,out2=console){return{debugging:config.debug,error:(owner,...rest)=>out2.error(`net [${owner}]`,
...rest),note:(owner,text)=>out2.warn(`net [${owner}] ${text}`),debug:(owner,text)=>{config.debug&&out2.info(`net [${owner}\
] ${text}`)}}}function shown(url){return`${url.protocol}//${url.host}${url.pathname}`}function closing(code,reason){return reason?
`${code} ${reason}`:`${code}`}function createDriver(Native){let proto=Native.prototype,{send,close}=proto,setBinaryType=getOwnPropertyDescriptor(proto,
"binaryType")?.set,{MessageEvent,CloseEvent}=globalThis;return{open(href,protocols){let ws=construct(Native,protocols===
void 0?[href]:[href,protocols]);return setBinaryType&&apply(setBinaryType,ws,["arraybuffer"]),ws},send:(ws,data)=>apply(
send,ws,[data]),close:(ws,...args)=>apply(close,ws,args),readyState:getter(proto,"readyState"),bufferedAmount:getter(proto,
"bufferedAmount"),protocol:getter(proto,"protocol"),listen,unlisten,data:getter(MessageEvent?.prototype,"data"),code:getter(
CloseEvent?.prototype,"code"),reason:getter(CloseEvent?.prototype,"reason"),wasClean:getter(CloseEvent?.prototype,"wasCl\
ean")}}var STATES=["connecting","open","closing","closed"],OPEN=1,CLOSED=3,byteLength=getOwnPropertyDescriptor(ArrayBuffer.prototype,
"byteLength")?.get,isView=ArrayBuffer.isView;function createSocket({driver,relay,log,url,owner,protocols,done}){let{id,href}=relay.
address(url,owner.label,!1),ws=driver.open(href,protocols),opened=!1,failed=!1,closedHere=!1,dropped=!1,socket={onOpen:null,
onMessage:null,onClose:null,onError:null,send(data){if(driver.readyState(ws)!==OPEN)throw new DOMException(`send: the so\
cket is ${socket.readyState}, not open`,"InvalidStateError");if(typeof data!="string"&&!isBytes(data))throw new TypeError(
"send: data is a string, an ArrayBuffer, a typed array or a DataView");driver.send(ws,data)},close(code=1e3,reason=""){driver.
close(ws,code,reason),closedHere=!0},get readyState(){return STATES[driver.readyState(ws)]},get bufferedAmount(){return driver.
bufferedAmount(ws)},get url(){return url.href},get protocol(){return driver.protocol(ws)}};function call(name,args){let handler=socket[name];
if(!(dropped||typeof handler!="function"))try{apply(handler,socket,args)}catch(error){log.error(owner.label,`${name} of ${shown(
url)} threw:`,error)}}function fail(message){failed=!0,log.debug(owner.label,`failed ${shown(url)}: ${message}`),call("o\
nError",[message])}function finish(code,reason,wasClean){(opened||!failed)&&log.debug(owner.label,`closed ${shown(url)} \
(${closing(code,reason)})`),call("onClose",[code,reason,wasClean]),done()}return driver.listen(ws,"open",()=>{opened=!0,
log.debug(owner.label,`connected ${shown(url)}`),call("onOpen",[])}),driver.listen(ws,"message",event=>call("onMessage",
[driver.data(event)])),driver.listen(ws,"error",()=>{failed=!0}),driver.listen(ws,"close",event=>{let code=driver.code(event),
reason=driver.reason(event),wasClean=driver.wasClean(event);return(dropped||closedHere)&&(failed=!1),!failed&&(wasClean||
dropped||closedHere)?finish(code,reason,wasClean):relay.reason(id).then(text=>{fail(text||(opened?`the connection to ${url.
host} was lost`:`no connection to ${url.host}`)),finish(code,reason,wasClean)})}),{socket,owner,drop(){dropped=!0,driver.
readyState(ws)!==CLOSED&&driver.close(ws,1e3)}}}function isBytes(data){if(isView(data))return!0;try{return apply(byteLength,
data,[]),!0}catch{return!1}}function createNet(config,parts){let{policy,log}=parts,live=new Set;function connect(owner,given,options){if(requireSockets(),
owner.released)throw misuse("InvalidStateError",`the owner ${owner.label} was released`);let text=`${given}`;try{let url=admit(
policy,text),protocols=protocolsOf(options),handle=createSocket({...parts,url,owner,protocols,done:()=>live.delete(handle)});
return live.add(handle),handle.socket}catch(error){throw log.debug(owner.label,`refused ${withoutSecrets(text)}: ${error instanceof
Error?error.message:error}`),error}}function requireSockets(){if(!policy.available)throw new DOMException(UNAVAILABLE,"N\
otSupportedError")}function drop(which){for(let handle of[...live])which(handle.owner)&&handle.drop()}function membersFor(owner){
return{connect:(url,options)=>connect(owner,url,options),isAvailable:()=>policy.available,allowedHosts(){return requireSockets(),
[...config.allowedHosts]}}}return Object.freeze({...membersFor({label:"game",persistent:!1,released:!1}),forOwner(label,options){
let owner={label:labelOf(label),persistent:!!(options&&options.persistent),released:!1};return Object.freeze({...membersFor(
owner),label:owner.label,persistent:owner.persistent,release(){owner.released=!0,drop(other=>other===owner)}})},sceneChanged(){
drop(owner=>!owner.persistent)}})}function admit(policy,text){let url;try{url=new URL(text)}catch{throw misuse("SyntaxEr\
ror",`'${withoutSecrets(text)}' is not a URL; write wss://host/path`)}let scheme=policy.scheme(url);if(scheme)throw misuse(
"SyntaxError",scheme);if(url.href.includes("#"))throw misuse("SyntaxError",`${shown(url)} has a fragment, which a socket\
 URL cannot have`);if(url.username||url.password)throw misuse("SyntaxError",`${shown(url)} has a user name or password i\
n it; log in with a message instead`);let host=policy.host(url);if(host)throw misuse("SecurityError",host);return url}function protocolsOf(options){
if(options!=null){if(typeof options!="object"||Symbol.iterator in options)throw new TypeError("net.connect: subprotocols\
 are given as { protocols: ['name'] }");return options.protocols}}function labelOf(label){if(typeof label!="string"||label===
"")throw new TypeError("net.forOwner: the label is a text, not empty");let short=label.slice(0,100);try{return encodeURIComponent(
short),short}catch{return short.replace(/[\uD800-\uDFFF]/g,"\uFFFD")}}function misuse(name,message){return new DOMException(
`net.connect: ${message}`,name)}function withoutSecrets(text){return text.replace(/[?#].*/s,"").replace(/^(\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]*)[^/\\]*@/i,
"$1")}var OWNER="game";function installWebSocket(scope,parts){let Native=scope.WebSocket,targets=new WeakMap,announce=createAnnouncer(
parts),Wrapped=new Proxy(Native,{construct(target,args,newTarget){let made=newTarget===Wrapped?target:newTarget;if(args.
length===0)return construct(target,args,made);let given=`${args[0]}`,rest=args.length>1?[args[1]]:[],url=socketURL(given);
if(!url)return refuse2(target,given,rest);let{id,href}=parts.relay.address(url,OWNER,!0),ws=construct(target,[href,...rest],
made);return targets.set(ws,url),announce(ws,url,id),ws}});patchGetter(Native.prototype,"url",(self,value)=>targets.get(
self)?.href??value);let targetOf=getter(scope.Event.prototype,"target");patchGetter(scope.MessageEvent.prototype,"origin",
(self,value)=>{let url=self.isTrusted?targets.get(targetOf(self)):void 0;return url?url.origin:value}),replace(Native.prototype,
"constructor",Wrapped),replace(scope,"WebSocket",Wrapped)}function socketURL(given){let url;try{url=new URL(given,baseURL())}catch{
return null}return url.protocol==="http:"?url.protocol="ws:":url.protocol==="https:"&&(url.protocol="wss:"),url.protocol!==
"ws:"&&url.protocol!=="wss:"||url.href.includes("#")?null:url}function refuse2(Native,given,rest){throw construct(Native,
[given,...rest]).close(),new DOMException(`Failed to construct 'WebSocket': The URL '${given}' is invalid.`,"SyntaxError")}
function createAnnouncer({policy,relay,log,driver}){let noted=new Set;return(ws,url,id)=>{let refusal=policy.available?policy.
raw(url):UNAVAILABLE;if(refusal){log.error(OWNER,`refused ${shown(url)}: ${refusal}`);return}policy.upgraded(url)&&!noted.
has(url.host)&&(noted.add(url.host),log.note(OWNER,`${shown(url)} is tried as wss://, since plain ws:// is accepted only\
 to this machine`));let stop=()=>{driver.unlisten(ws,"open",onOpen),driver.unlisten(ws,"error",onError)},onOpen=()=>{stop(),
log.debug(OWNER,`connected ${shown(url)}`)},onError=()=>{stop(),relay.reason(id).then(text=>{text&&log.error(OWNER,`fail\
ed ${shown(url)}: ${text}`)})};driver.listen(ws,"open",onOpen),driver.listen(ws,"error",onError),log.debugging&&driver.listen(
ws,"close",event=>{log.debug(OWNER,`closed ${shown(url)} (${closing(driver.code(event),driver.reason(event))})`)})}}function patchGetter(proto,name,answer){
let own=getOwnPropertyDescriptor(proto,name);if(!own||!own.get)return;let get=new Proxy(own.get,{apply:(target,self,args)=>answer(
self,apply(target,self,args))});defineProperty(proto,name,{...own,get})}function replace(holder,name,value){let own=getOwnPropertyDescriptor(
holder,name);defineProperty(holder,name,{writable:!0,configurable:!0,enumerable:!1,...own,value})}var{createObjectURL,revokeObjectURL}=URL;function installWorkers(scope,script){let replaced=new Map;for(let name of["Wor\
ker","SharedWorker"])typeof scope[name]=="function"&&wrap(scope,name,(url,kind)=>replacement(replaced,script,url,kind));
scope.URL.revokeObjectURL=new Proxy(revokeObjectURL,{apply(target,self,args){let result=apply(target,self,args),entry=replaced.
get(`${args[0]}`);return entry&&(replaced.delete(`${args[0]}`),entry.classic&&revokeObjectURL(entry.classic),entry.module&&
revokeObjectURL(entry.module)),result}})}function wrap(scope,name,replace2){let Native=scope[name],Wrapped=new Proxy(Native,
{construct(target,args,newTarget){let made=newTarget===Wrapped?target:newTarget;if(args.length===0)return construct(target,
args,made);let[given,options]=args,url=`${given}`;if(!/^\s*blob:/i.test(url))return construct(target,args,made);let kind=options&&
options.type==="module"?"module":"classic";return construct(target,[replace2(new URL(url,baseURL()).href,kind),...args.slice(
1)],made)}});defineProperty(Native.prototype,"constructor",{value:Wrapped,writable:!0,configurable:!0}),defineProperty(scope,
name,{value:Wrapped,writable:!0,configurable:!0})}function replacement(replaced,script,url,kind){let known=replaced.get(
url)?.[kind];if(known)return known;try{let source=read(url);if(source.includes(script))return url;let made=createObjectURL(
new Blob([withScript(source,script,kind)],{type:"text/javascript"})),entry=replaced.get(url)||{};return entry[kind]=made,
replaced.set(url,entry),made}catch{return url}}function withScript(source,script,kind){return kind==="module"?`import "${script}\
";${source}`:`${isStrict(source)?'"use strict";':""}try{importScripts("${script}")}catch{}${source}`}function isStrict(source){
let at=0;for(;;){for(;at<source.length&&source[at].trim()==="";)at++;let end=source.startsWith("//",at)?`
`:source.startsWith("/*",at)?"*/":"";if(!end)break;let found=source.indexOf(end,at+2);if(found<0)return!1;at=found+end.length}
return source.startsWith("'use strict'",at)||source.startsWith('"use strict"',at)}function read(url){let request=new XMLHttpRequest;
return request.open("GET",url,!1),request.overrideMimeType("text/plain; charset=utf-8"),request.send(),request.responseText}var PERIOD=3e4,KEEPALIVE_LIMIT=6e4;function restoreStorage(storage,saved){if(saved)for(let[key,value]of Object.entries(saved))
storage.getItem(key)===null&&storage.setItem(key,value)}function storageText(storage){let copy=Object.create(null);for(let i=0;i<
storage.length;i++){let key=storage.key(i),value=key===null?null:storage.getItem(key);key!==null&&value!==null&&(copy[key]=
value)}return JSON.stringify(copy)}function createShadow(read2,send){let sent="";return(leaving=!1)=>{let text=read2();text!==
sent&&(sent=text,send(text,leaving).then(kept=>{!kept&&sent===text&&(sent="")}))}}function keepStorage(window,config){let storage;
try{if(storage=window.localStorage,!storage)return;restoreStorage(storage,config.restore)}catch{}if(!storage||!config.shadow)
return;let saves=guarded(storage),idle=window.requestIdleCallback?window.requestIdleCallback.bind(window):run=>run(),address=`${config.
ownOrigin}/__conch/storage`,shadow=createShadow(()=>storageText(saves),(text,leaving)=>post(address,text,leaving)),{document}=window;
setInterval(()=>idle(()=>shadow()),PERIOD),listen(window,"pagehide",()=>shadow(!0)),listen(document,"visibilitychange",()=>{
document.visibilityState==="hidden"&&shadow(!0)}),config.restore&&idle(()=>shadow())}function guarded(storage){let{key,getItem}=storage,
length=getter(Object.getPrototypeOf(storage),"length");return{get length(){return length(storage)},key:key.bind(storage),
getItem:getItem.bind(storage)}}async function post(address,text,leaving){let body=new Blob([text],{type:"application/jso\
n"}),small=body.size<KEEPALIVE_LIMIT;if(leaving&&!small&&postNow(address,text))return!0;try{return(await fetch(address,{
method:"POST",body,keepalive:leaving&&small,credentials:"same-origin"})).ok}catch{return!1}}function postNow(address,text){
try{let request=new XMLHttpRequest;return request.open("POST",address,!1),request.setRequestHeader("Content-Type","appli\
cation/json"),request.send(text),request.status>=200&&request.status<300}catch{return!1}}var KEYS=/^F[357]$/,CTRL_KEYS=/^(?:[rpufs]|[-+=0]|Key[RPUFS]|Equal|Minus|Digit0|Numpad(?:0|Add|Subtract))$/;function installShell(window,debug){
listen(window,"keydown",event=>{isBrowserKey(event)&&event.preventDefault()}),listen(window,"wheel",event=>{event.ctrlKey&&
event.preventDefault()},{passive:!1}),listen(window,"contextmenu",event=>{!debug&&!isEditable(event.target)&&event.preventDefault()}),
listen(window,"dragstart",event=>{isStrayDrag(event)&&event.preventDefault()}),fillGaps(window)}function isBrowserKey(event){
return KEYS.test(event.key)?!0:!(event.ctrlKey||event.metaKey)||event.altKey?!1:CTRL_KEYS.test(event.key.toLowerCase())||
CTRL_KEYS.test(event.code)}function isEditable(target){return!!(target&&(target.isContentEditable||/^(?:INPUT|TEXTAREA)$/.
test(target.tagName)))}function isStrayDrag(event){let target=event.target;return!target||!/^(?:IMG|A)$/.test(target.tagName)||
target.closest("[draggable=true]")?!1:!event.dataTransfer||event.dataTransfer.effectAllowed==="uninitialized"}function fillGaps({
navigator,Element,Document}){navigator.getGamepads||define(navigator,"getGamepads",{value:()=>[],writable:!0});let{webkitRequestFullscreen}=Element.
prototype;Element.prototype.requestFullscreen||!webkitRequestFullscreen||(define(Element.prototype,"requestFullscreen",{
value:webkitRequestFullscreen,writable:!0}),define(Document.prototype,"exitFullscreen",{value:Document.prototype.webkitExitFullscreen,
writable:!0}),define(Document.prototype,"fullscreenElement",{get(){return this.webkitFullscreenElement}}))}function define(holder,name,descriptor){
defineProperty(holder,name,{configurable:!0,...descriptor})}var LEVELS=["debug","log","info","warn","error"],MAX_TEXT=8e3,MAX_WAITING=500,BATCH=50;function show(value){if(value instanceof
Error2)return String(value.stack||value);if(typeof value!="object"||value===null)return String(value);try{return JSON.stringify(
value)??String(value)}catch{return"[object]"}}function createLines(send){let waiting=[],busy=!1,flush=()=>{busy=waiting.
length>0,busy&&send(JSON.stringify(waiting.splice(0,BATCH))).then(flush,flush)};return(level,text)=>{waiting.length<MAX_WAITING&&
waiting.push({level,text:text.slice(0,MAX_TEXT)}),busy||setTimeout(flush,0),busy=!0}}function develop(scope){let say=createLines(
body=>fetch("/__conch/log",{method:"POST",body,credentials:"same-origin"})),console2=scope.console;for(let level of LEVELS){
let native=console2[level];console2[level]=(...args)=>{say(level,args.map(show).join(" ")),apply(native,console2,args)}}
listen(scope,"error",event=>{event.message&&say("error",`${event.message} (${event.filename}:${event.lineno})`)}),listen(
scope,"unhandledrejection",event=>say("error",`unhandled rejection: ${show(event.reason)}`)),!(!scope.document||scope.top!==
scope)&&(new EventSource("/__conch/changes").onmessage=()=>scope.location.reload())}var VERSION="1.0",INSTALLED=Symbol.for("conch.page"),SESSION=Symbol.for("conch.session");function install(scope,config){
if(scope[INSTALLED]||!scope.WebSocket)return;defineProperty(scope,INSTALLED,{value:!0}),config.dev&&develop(scope);let policy=createPolicy(
config),relay=createRelay(config),log=createLog(config),driver=createDriver(scope.WebSocket),net=createNet(config,{policy,
relay,log,driver}),conch=Object.freeze(config.session||!scope.document?{version:VERSION,net}:{version:VERSION,net,NetSessionManager:noSessions});
for(let[name,value]of[["conch",conch],["net",net]])defineProperty(scope,name,{value,writable:!0,configurable:!0});if(config.
relayPorts.length>0&&installWebSocket(scope,{policy,relay,log,driver}),installWorkers(scope,`${config.ownOrigin}/__conch\
/page.js`),!!scope.document){if(config.session){let{ownOrigin:origin,allowedHosts}=config;defineProperty(scope,SESSION,{
value:{driver,log,origin,allowedHosts},configurable:!0})}installShell(scope,config.debug),scope.top===scope&&keepStorage(
scope,config)}}function noSessions(){throw new Error2("NetSessionManager: this game has no sessions; set network.session\
s to true in conch.json")}install(globalThis,__CONCH_CONFIG__);})();
