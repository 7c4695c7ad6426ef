// Conch session script, built from frontend/src. Do not edit.
(()=>{var{apply:de,construct:ht,defineProperty:_e,getOwnPropertyDescriptor:Nt}=Reflect,{AbortController:an,ArrayBuffer:st,Blob:jr,
DOMException:Mr,DataView:me,Error:ee,EventSource:Pr,JSON:Be,Map:V,Number:fe,Object:O,Promise:Se,Proxy:Lr,RangeError:$,Set:pe,
String:Nr,TextDecoder:cn,TextEncoder:ln,TypeError:U,URL:it,Uint32Array:xe,Uint8Array:M,WeakMap:fn,XMLHttpRequest:un,clearTimeout:dn,
encodeURIComponent:wt}=globalThis,{abs:pn,floor:De,fround:hn,max:F,min:te,random:vr}=Math,vt=Date.now,wn=globalThis.performance?
globalThis.performance.now.bind(globalThis.performance):vt;function mn(e){return Po.getRandomValues(new M(e))}var Hr=Bt(
globalThis.fetch),Ht=Bt(globalThis.setTimeout),Br=Bt(globalThis.setInterval),He=globalThis.console,mt={error:He.error.bind(
He),warn:He.warn.bind(He),info:He.info.bind(He)},{crypto:Po}=globalThis,{addEventListener:Lo,removeEventListener:No}=globalThis.
EventTarget.prototype;function Bt(e){return e&&e.bind(globalThis)}function Ve(e,t,n,o){de(Lo,e,[t,n,o])}function ze(e,t,n){
de(No,e,[t,n])}function ge(e,t){let n=e&&Nt(e,t)?.get;return n?o=>de(n,o,[]):o=>o[t]}function gn(e){let t=e.prototype,{send:n,close:o}=t,r=Nt(t,"binaryType")?.set,{MessageEvent:u,CloseEvent:f}=globalThis;return{
open(a,i){let s=ht(e,i===void 0?[a]:[a,i]);return r&&de(r,s,["arraybuffer"]),s},send:(a,i)=>de(n,a,[i]),close:(a,...i)=>de(
o,a,i),readyState:ge(t,"readyState"),bufferedAmount:ge(t,"bufferedAmount"),protocol:ge(t,"protocol"),listen:Ve,unlisten:ze,
data:ge(u?.prototype,"data"),code:ge(f?.prototype,"code"),reason:ge(f?.prototype,"reason"),wasClean:ge(f?.prototype,"was\
Clean")}}function yn(e,t=mt){return{debugging:e.debug,error:(n,...o)=>t.error(`net [${n}]`,...o),note:(n,o)=>t.warn(`net [${n}] ${o}`),
debug:(n,o)=>{e.debug&&t.info(`net [${n}] ${o}`)}}}var Dt=1<<20,Vt=fe.MAX_SAFE_INTEGER,vo=ge(st.prototype,"byteLength"),Ho=new ln,Bo=new cn("utf-8",{fatal:!0,ignoreBOM:!0});
function X(e){return Ho.encode(e)}function Te(e){return Bo.decode(e)}function ue(e){if(e instanceof ye)return e._bytes.subarray(
0,e._length);if(st.isView(e))return new M(e.buffer,e.byteOffset,e.byteLength);if(e==null)return new M(0);try{vo(e)}catch{
throw new U("bytes are a DataStream, an ArrayBuffer, a typed array or a DataView")}return new M(e)}var ye=class{constructor(){
this._bytes=new M(64),this._view=new me(this._bytes.buffer),this._length=0,this._at=0,this._limit=Dt}static from(t){let n=ue(
t);if(n.length>Dt)throw new $(`DataStream: ${n.length} bytes, at most ${Dt} fit`);return at(n.slice())}get length(){return this.
_length}get position(){return this._at}set position(t){if(!(t>=0&&t<=this._length)||t%1!==0)throw new $(`DataStream: no \
position ${t}`);this._at=t}toUint8Array(){return this._bytes.slice(0,this._length)}_grow(t){let n=this._at,o=n+t;if(o>this.
_limit)throw new $(`DataStream: at most ${this._limit} bytes fit`);if(o>this._bytes.length){let r=new M(F(o,this._bytes.
length*2));r.set(this._bytes),this._bytes=r,this._view=new me(r.buffer)}return this._at=o,o>this._length&&(this._length=
o),n}_take(t){let n=this._at;if(n+t>this._length)throw new $("DataStream: read past the end");return this._at=n+t,n}writeU8(t){
let n=this._grow(1);this._view.setUint8(n,t)}writeI8(t){let n=this._grow(1);this._view.setInt8(n,t)}writeU16(t){let n=this.
_grow(2);this._view.setUint16(n,t,!0)}writeI16(t){let n=this._grow(2);this._view.setInt16(n,t,!0)}writeU32(t){let n=this.
_grow(4);this._view.setUint32(n,t,!0)}writeI32(t){let n=this._grow(4);this._view.setInt32(n,t,!0)}writeF32(t){let n=this.
_grow(4);this._view.setFloat32(n,t,!0)}writeF64(t){let n=this._grow(8);this._view.setFloat64(n,t,!0)}writeBool(t){this.writeU8(
t?1:0)}writeVarU(t){if(!(t>=0&&t<=Vt)||t%1!==0)throw new $(`DataStream: ${t} is no varint`);for(;t>127;)this.writeU8(t%128+
128),t=(t-t%128)/128;this.writeU8(t)}writeVarI(t){this.writeVarU(t<0?-t*2-1:t*2)}writeString(t){this.writeBytes(X(t))}writeBytes(t){
let n=ue(t);this.writeVarU(n.length),this.writeRaw(n)}writeRaw(t){let n=ue(t),o=this._grow(n.length);this._bytes.set(n,o)}readU8(){
return this._view.getUint8(this._take(1))}readI8(){return this._view.getInt8(this._take(1))}readU16(){return this._view.
getUint16(this._take(2),!0)}readI16(){return this._view.getInt16(this._take(2),!0)}readU32(){return this._view.getUint32(
this._take(4),!0)}readI32(){return this._view.getInt32(this._take(4),!0)}readF32(){return this._view.getFloat32(this._take(
4),!0)}readF64(){return this._view.getFloat64(this._take(8),!0)}readBool(){let t=this.readU8();if(t>1)throw new $("DataS\
tream: neither true nor false");return t===1}readVarU(){let t=0;for(let n=1;n<2**56;n*=128){let o=this.readU8();if(t+=(o&
127)*n,!(o>127)){if(t>Vt||o===0&&n>1)break;return t}}throw new $("DataStream: not a varint")}readVarI(){let t=this.readVarU();
return t%2?-(t+1)/2:t/2}readString(){return Te(this.readRaw(this.readVarU()))}readBytes(){return this.readRaw(this.readVarU()).
slice()}readRaw(t){let n=this._take(t);return this._bytes.subarray(n,n+t)}};function at(e){let t=new ye;return t._bytes=
e,t._view=new me(e.buffer,e.byteOffset,e.byteLength),t._length=e.length,t}function Fe(){let e=new ye;return e._limit=Vt,
e}var _n=65536,Sn=16,xn=4096,bn=fe.MAX_SAFE_INTEGER,{hasOwnProperty:Do}=O.prototype,qe=new me(new M(8).buffer);function zt(e,{
size:t=_n,nesting:n=Sn,elements:o=xn}={}){let r=new me(e.buffer,e.byteOffset,e.byteLength),u=0;function f(d){let w=u;if(w+
d>e.length||w+d>t)throw new $("value is cut short or too long");return u+=d,w}function a(d){if(d<24)return d;if(d===24)return r.
getUint8(f(1));if(d===25)return r.getUint16(f(2));if(d===26)return r.getUint32(f(4));if(d!==27)throw new $("value of unk\
nown length");let w=f(8),y=r.getUint32(w)*2**32+r.getUint32(w+4);if(y>bn)throw new $("number too large");return y}function i(d){
let w=a(d);if(w>o)throw new $(`${w} elements, at most ${o}`);return w}function s(d){let w=a(d),y=f(w);return e.subarray(
y,y+w)}function c(d){if(d===20||d===21)return d===21;if(d===22)return null;if(d===25)return zo(r.getUint16(f(2)));if(d===
26)return r.getFloat32(f(4));if(d===27)return r.getFloat64(f(8));throw new $("not a value of state")}function l(d){let w=r.
getUint8(f(1)),y=w&31,x=w>>5;if(d===0&&(x===4||x===5))throw new $("nested too deep");switch(x){case 0:return a(y);case 1:{
let E=a(y);if(E===bn)throw new $("number too large");return-1-E}case 2:return s(y).slice();case 3:return Te(s(y));case 4:{
let E=[];for(let I=i(y);I>0;I--)E.push(l(d-1));return O.freeze(E)}case 5:{let E={};for(let I=i(y);I>0;I--){let g=r.getUint8(
f(1));if(g>>5!==3)throw new $("a key that is no text");let S=Te(s(g&31));if(de(Do,E,[S]))throw new $("the same key twice");
_e(E,S,{value:l(d-1),enumerable:!0})}return O.freeze(E)}case 7:return c(y);default:throw new $("not a value of state")}}
return{value:l(n),length:u}}function Ge(e,t){let{value:n,length:o}=zt(e,t);if(o!==e.length)throw new $("bytes after the \
value");return n}function Xe(e,{size:t=_n,nesting:n=Sn,elements:o=xn}={}){let r=Fe();function u(s,c){let l=s<<5;if(c<24)
return r.writeU8(l|c);let p=c<2**8?0:c<2**16?1:c<2**32?2:3;r.writeU8(l|24+p),qe.setUint32(0,c/2**32),qe.setUint32(4,c),r.
writeRaw(new M(qe.buffer,8-(1<<p)))}function f(s,c){u(s,c.length),r.writeRaw(c)}function a(s){if(fe.isSafeInteger(s)&&(s!==
0||1/s>0))return s<0?u(1,-1-s):u(0,s);let c=hn(s)===s||s!==s;r.writeU8(c?250:251),c?qe.setFloat32(0,s):qe.setFloat64(0,s),
r.writeRaw(new M(qe.buffer,0,c?4:8))}function i(s,c){if(r.length>t)throw new $(`a value of state has at most ${t} bytes`);
if(s===null||s===!1||s===!0)return r.writeU8(s===null?246:s?245:244);if(typeof s=="number")return a(s);if(typeof s=="str\
ing")return f(3,X(s));if(s instanceof M)return f(2,s);let l=Array.isArray(s);if(!l&&!Vo(s))throw new U("state holds null\
, booleans, numbers, texts, Uint8Array, lists and plain objects of these");if(c===0)throw new $(`a value of state nests \
at most ${n} deep`);let p=l?s:O.keys(s);if(p.length>o)throw new $(`a list or object in state has at most ${o} elements`);
u(l?4:5,p.length);for(let d of p)l||f(3,X(d)),i(l?d:s[d],c-1)}if(i(e,n),r.length>t)throw new $(`a value of state has at \
most ${t} bytes`);return r.toUint8Array()}function Vo(e){if(typeof e!="object")return!1;let t=O.getPrototypeOf(e);return t===
null||O.getPrototypeOf(t)===null}function zo(e){let t=e>>10&31,n=e&1023,o=t===31?n?NaN:1/0:t===0?n*2**-24:(1024+n)*2**(t-
25);return e&32768?-o:o}var Xt="conch.session.1",bt="/_conch/session",$n=524288,Fo=16<<20,Tn=4096,En=1,_t=0,Ce=1,W=2,ft=["ok","no_handler","hand\
ler_threw","no_object","not_owner","rejected","rate_limited","queue_full","too_large","peer_gone","not_ready","no_owner",
"timeout","unknown"],R={read:e=>e.readVarU(),write:(e,t)=>e.writeVarU(t)},gt={read:e=>e.readU8(),write:(e,t)=>e.writeU8(
t)},An={read:e=>e.readU32(),write:(e,t)=>e.writeU32(t)},lt={read:e=>e.readBool(),write:(e,t)=>e.writeBool(t)},ct=e=>({read:t=>t.
readRaw(e).slice(),write:(t,n)=>t.writeRaw(n)}),$e=e=>({read:t=>t.readRaw(St(t.readVarU(),e)).slice(),write:(t,n)=>t.writeBytes(
n)}),Je=(e,t=0)=>({read(n){let o=St(n.readVarU(),e);if(o<t)throw new $("a name that is empty");return Te(n.readRaw(o))},
write:(n,o)=>n.writeBytes(X(o))}),yt=(e,t)=>({read(n){let o=[];for(let r=St(n.readVarU(),e);r>0;r--)o.push(t.read(n));return o},
write(n,o){n.writeVarU(o.length);for(let r of o)t.write(n,r)}}),N=(e,t)=>({read(n){let o={};for(let r in e)o[r]=e[r].read(
n);if(t&&!t(o))throw new $("a field out of range");return o},write(n,o){for(let r in e)e[r].write(n,o[r])}}),qt={read(e){
let t=e.readVarU();if(t%4>W||t%4===_t&&t>0)throw new $("a target of no kind");return t},write:R.write},qo={read(e){let t=e.
readVarU(),n=(t-t%2)/2;if(t%2)return{name:n,removed:!0,raw:new M(0),value:void 0};let o=e.position,{value:r,length:u}=zt(
e.readRaw(e.length-o));return e.position=o,{name:n,removed:!1,raw:e.readRaw(u).slice(),value:r}},write(e,t){e.writeVarU(
t.name*2+(t.removed?1:0)),e.writeRaw(t.raw)}},Gt=yt(1024,qo),kn=N({class:Je(128),owner:R,persistent:lt}),Cn={read(e){let t=qt.
read(e),{class:n,owner:o,persistent:r}=t%4===W?kn.read(e):{class:"",owner:0,persistent:!1};return{target:t,class:n,owner:o,
persistent:r,fields:Gt.read(e)}},write(e,t){e.writeVarU(t.target),t.target%4===W&&kn.write(e,t),Gt.write(e,t.fields)}},On=Je(
128,1),Rn=$e(262144),We=Je(128),Ft=Je(512),In=Je(32),Go=N({args:R,message:R,frames:R,framesBurst:R,bytes:R,bytesBurst:R,
calls:R,callsBurst:R,pingMillis:R,timeoutMillis:R,resumeMillis:R,callsInFlight:R}),T={hello:1,challenge:2,auth:3,welcome:4,
reject:5,ping:6,pong:7,bye:8,load:10,loaded:11,activate:12,names:19,snapBegin:20,snapPart:21,snapEnd:22,delta:23,spawn:24,
despawn:25,owner:26,resync:27,check:28,rpc:30,result:31,relayed:32},Un={[T.hello]:N({minVersion:R,maxVersion:R,nonce:ct(
16),project:ct(32)}),[T.challenge]:N({version:R,nonce:ct(16),project:ct(32),need:gt,salt:$e(32),iterations:R}),[T.auth]:N(
{build:We,session:We,name:We,kind:gt,spectator:lt,userData:$e(4096),proof:$e(32),resume:$e(16),loaded:R}),[T.welcome]:N(
{id:R,session:We,token:ct(16),role:gt,resumed:lt,proof:$e(32),hostMicros:R,tickHz:R,limits:Go}),[T.reject]:N({code:In,text:Ft,
retryAfterMillis:R}),[T.ping]:N({seq:R,t0:R}),[T.pong]:N({seq:R,t0:R,t1:R,t2:R}),[T.bye]:N({code:In,text:Ft}),[T.load]:N(
{transition:R,uuid:We,name:We,seamless:lt}),[T.loaded]:N({transition:R,ok:lt,text:Ft}),[T.activate]:N({transition:R}),[T.
names]:N({base:R,names:yt(Tn,Je(128))},e=>e.base+e.names.length<=Tn),[T.snapBegin]:N({seq:R,size:R},e=>e.size<=Fo),[T.snapPart]:{
read:e=>({data:e.readRaw(St(e.length-e.position,16384)).slice()}),write:(e,t)=>e.writeRaw(t.data)},[T.snapEnd]:N({crc:An}),
[T.delta]:N({prev:R,seq:R,changes:yt(65536,N({target:qt,fields:Gt}))}),[T.spawn]:N({entity:Cn},e=>e.entity.target%4===W),
[T.despawn]:N({target:qt},e=>e.target!==_t),[T.owner]:N({object:R,owner:R}),[T.resync]:N({seq:R}),[T.check]:N({seq:R,crc:An}),
[T.rpc]:N({call:R,object:R,name:On,args:Rn}),[T.result]:N({call:R,status:gt,value:$e(65536)}),[T.relayed]:N({from:R,object:R,
name:On,args:Rn})};function St(e,t){if(e>t)throw new $(`longer than ${t}`);return e}function Ye(e,t){let n=Fe();Un[e].write(
n,t);let o=Fe();return o.writeU8(e),o.writeU8(0),o.writeBytes(n),o.toUint8Array()}function jn(e){let t=at(e),n=[];do{let o=t.
readU8(),r=t.readU8();if(r&~En)throw new $(`frame ${o} has unknown flags`);let u=t.readRaw(t.readVarU()),f=Un[o];if(f)n.
push({type:o,weight:u.length,...f.read(at(u))});else if(!(r&En))throw new $(`unknown frame ${o}`)}while(t.position<t.length);
return n}var Mn=yt(65536,Cn);function Pn(e){return Mn.read(at(e))}function Ln(e){let t=Fe();return Mn.write(t,e),t._bytes.
subarray(0,t._length)}function Nn(e,{driver:t,log:n,origin:o}){let r=o.replace(/^http/,"ws"),u=0,f={error:(i,...s)=>n.error("session",i,...s),
note:i=>n.note("session",i),debug:i=>n.debug("session",i)},a=({host:i,port:s,secure:c})=>`${c?"wss":"ws"}://${i}:${s}${bt}`;
return{connect(i,{projectId:s}){let c=a(i);if(!o)return Wt(t,c,Xt);let l=`u=${wt(c)}&project=${wt(s)}&n=${++u}`;return Wt(
t,`${r}/__conch/session/join?${l}`,Xt)},now:wn,wall:vt,random:mn,setTimeout:(i,s)=>Ht(i,s),clearTimeout:i=>dn(i),storage:Wo(
e),places:new pe,log:f,kind:o?"launcher":"browser",onWake(i){let{document:s}=e,c=()=>{s.visibilityState==="visible"&&i()};
return s&&Ve(s,"visibilitychange",c),Ve(e,"pageshow",i),Ve(e,"online",i),()=>{s&&ze(s,"visibilitychange",c),ze(e,"pagesh\
ow",i),ze(e,"online",i)}},host:o?{start:i=>Xo(`${o}/__conch/session/host`,i),link:i=>Wt(t,`${r}/__conch/session/link?hos\
t=${wt(i)}`,void 0)}:null}}function Wt(e,t,n){let o=e.open(t,n),r={onopen:null,onmessage:null,onclose:null,get bufferedAmount(){
return e.bufferedAmount(o)},send(a){e.readyState(o)===1&&e.send(o,a)},close(a,i){e.readyState(o)<2&&e.close(o,a,i)}};e.listen(
o,"open",()=>{if(n!==void 0&&e.protocol(o)!==n)return e.close(o,4002,"another protocol");r.onopen&&r.onopen()}),e.listen(
o,"message",a=>{r.onmessage&&r.onmessage(e.data(a))});let u=!1;function f(a,i){u||(u=!0,r.onclose&&r.onclose(a,i))}return e.
listen(o,"close",a=>f(e.code(a),e.reason(a))),e.listen(o,"error",()=>Ht(()=>{e.readyState(o)===3&&f(1006,"")},100)),r}function Xo(e,t){
let n={ok:!1,error:"the launcher did not answer",port:0,joinCode:"",dedicated:!1,maxArgs:0,hostMicros:0,link:""};try{let o=ht(
un,[]);return o.open("POST",e,!1),o.setRequestHeader("Content-Type","application/json"),o.send(Be.stringify(t)),O.assign(
n,Be.parse(o.responseText))}catch{return n}}function Wo(e){try{return e.sessionStorage||null}catch{return null}}var Jo=/^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:[\]/?#@\\*%]+)(?::([0-9]{1,5}))?$/i,Yo=/^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/,
Ko=/^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/,Zo=/^\d+\.\d+\.\d+\.\d+$/;function Qo(e){let t=e.replace(/^\uFEFF/,"").replace(
/#.*/s,"").trim(),n=Jo.exec(t);if(!n)return null;let o=n[3]===void 0?0:Number(n[3]);if(n[3]!==void 0&&(o<1||o>65535))return null;
let r;try{r=Dn(new it(`ws://${n[2]}/`).hostname)}catch{return null}let u=n[1]!==void 0;return!r||u&&Vn(r)?null:{host:r,port:o,
wildcard:u}}function vn(e){let t=[];for(let n of e){let o=Qo(n);o&&t.push(o)}return t}function Hn(e,t){let n=xt(t),o=er(
t);return n?e.some(r=>(r.port===0||r.port===o)&&(r.wildcard?!Vn(n)&&n.endsWith("."+r.host):n===r.host)):!1}function xt(e){
return Dn(e.hostname)}function er(e){return e.port?Number(e.port):e.protocol==="wss:"||e.protocol==="https:"?443:80}function Bn(e){
let t=xt(e);return t==="localhost"||t==="127.0.0.1"||t==="::1"}function Dn(e){if(e.startsWith("[")){let n=e.slice(1,-1),
o=Ko.exec(n);if(!o)return n;let r=parseInt(o[1],16),u=parseInt(o[2],16);return`${r>>8}.${r&255}.${u>>8}.${u&255}`}let t=e.
endsWith(".")?e.slice(0,-1):e;return t.length<=253&&Yo.test(t)?t:""}function Vn(e){return e.includes(":")||Zo.test(e)}var Jt=24642;function zn(e){let t=typeof e=="string"?e.trim():"",[,n,o]=/^(?:(ws|wss|http|https):\/\/)?(.+)$/i.exec(t)||
[];if(!o||/[\s\\?#@]/.test(o))return null;let r=!n&&/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(o)?`[${o}]`:o,u=/s$/i.
test(n||"")&&!/^ws$/i.test(n||""),f;try{f=new it(`${u?"wss":"ws"}://${r}`)}catch{return null}let a=xt(f),[,i=""]=/^\/j\/([0-9A-Za-z-]{1,16})$/.
exec(f.pathname)||[];if(!a||f.pathname!=="/"&&f.pathname!==bt&&!i)return null;let s=/:(\d+)(?:\/|$)/.exec(r.replace(/^\[.*\]/,
"")),c=s?Number(s[1]):u?443:Jt;if(c<1||c>65535)return null;let l=a.includes(":")?`[${a}]`:a;return{host:l,port:c,secure:u,
text:`${l}:${c}`,code:i}}function Fn({host:e,port:t,secure:n},o){let r=new it(`${n?"wss":"ws"}://${e}:${t}/`);return Bn(
r)||/\.local$/.test(e)||tr(e)||Hn(vn(o),r)}function tr(e){return/^(?:127|10)\.\d+\.\d+\.\d+$|^192\.168\.\d+\.\d+$|^169\.254\.\d+\.\d+$|^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+$/.
test(e)||/^\[f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f]):/.test(e)}function Ee({log:e,later:t,cancel:n}){let o="pending",r,u=[];function f(i,s){if(o!=="pending")return;o=i,r=s;let c=u;u=[];
for(let l of c)l()}let a=O.freeze({get state(){return o},get result(){return o==="succeeded"?r:void 0},get error(){return o===
"failed"?r:void 0},onDone(i){if(typeof i!="function")throw new U("onDone: a listener is a function");let s=()=>{try{i(a)}catch(c){
e.error("onDone threw:",c)}};return o==="pending"?u.push(s):t(s),a},cancel(){return o!=="pending"||!n||!n()?!1:(t(()=>f(
"failed","cancelled")),!0)},then(i,s){let l=new Se((p,d)=>{let w=()=>o==="succeeded"?p(r):d(new ee(r));o==="pending"?u.push(
w):w()}).then(i,s);return l.catch(()=>{}),l}});return{op:a,succeed:i=>f("succeeded",i),fail:i=>f("failed",i)}}var nr=65536,or=1e4;function Tt({log:e,now:t,later:n}){let o=new V,r=new V,u=0;function f(a){let i=[...a.results.values()];
i.some(s=>s===null)||(r.delete(a.id),a.operation.succeed(a.many?O.freeze(i):i[0]))}return{handlers:o,get inFlight(){return r.
size},open(a,i,s){let c=++u,l=Ee({log:e,later:n,cancel:()=>s()&&r.delete(c)}),p={id:c,operation:l,many:i,results:new V,at:t(),
sent:!1,lost:!1,takeBack:s};for(let d of a)p.results.set(d,null);return r.set(c,p),p},settle(a,i,s,c,l=t()){let p=r.get(
a);if(!p||p.results.get(i)!==null)return;let d={callId:a,connectionId:i,rttMs:l-p.at,status:s};p.results.set(i,O.freeze(
c&&c.length?{...d,value:ye.from(c)}:d)),f(p)},fail(a,i){let s=r.get(a);r.delete(a),s&&s.operation.fail(i)},failAll(a){for(let i of[
...r.keys()])this.fail(i,a)},linkLost(){for(let a of r.values())a.sent&&(a.lost=!0)},endLost(){for(let a of[...r.values()])
if(a.lost)for(let i of a.results.keys())this.settle(a.id,i,"unknown")},expire(){for(let a of[...r.values()])if(!(t()-a.at<
or)){a.takeBack()&&this.fail(a.id,"timeout");for(let i of a.results.keys())this.settle(a.id,i,"timeout")}},handle(a,i,s){
let c=Ke(a);if(typeof i!="function")throw new U("onRpc: a handler is a function");let l={run:i,anyone:s};return o.set(c,
l),()=>o.get(c)===l&&o.delete(c)},run(a,i,s,c,l){let p=o.get(a);if(!p)return l("no_handler");let d=y=>{e.error(`the hand\
ler of the call ${a} threw:`,y),l("handler_threw")},w=y=>{let x=ue(y);x.length>nr?l("too_large"):l("ok",x.slice())};try{
let y=de(p.run,void 0,[ye.from(i),s,c]);y&&typeof y.then=="function"?y.then(w).then(void 0,d):w(y)}catch(y){d(y)}}}}function Ke(e){
let t=typeof e=="string"?X(e).length:0;if(t===0||t>128)throw new U("the name of a call is a text of 1 to 128 bytes");return e}var qn=ir(64),rr=new xe(qn.map(e=>Xn(e**(1/3)))),Gn=new xe(qn.slice(0,8).map(e=>Xn(e**(1/2)))),sr=ar();function ir(e){let t=[
2];for(let n=3;t.length<e;n+=2)t.every(o=>n%o)&&t.push(n);return t}function Xn(e){return(e-De(e))*2**32}function Yt(e,t){
for(let c=16;c<64;c++){let l=t[c-15],p=t[c-2];t[c]=t[c-16]+t[c-7]+((l>>>7|l<<25)^(l>>>18|l<<14)^l>>>3)+((p>>>17|p<<15)^(p>>>
19|p<<13)^p>>>10)}let[n,o,r,u,f,a,i,s]=e;for(let c=0;c<64;c++){let l=s+((f>>>6|f<<26)^(f>>>11|f<<21)^(f>>>25|f<<7))+(f&a^
~f&i)+rr[c]+t[c]|0,p=((n>>>2|n<<30)^(n>>>13|n<<19)^(n>>>22|n<<10))+(n&o^n&r^o&r)|0;s=i,i=a,a=f,f=u+l|0,u=r,r=o,o=n,n=l+p|
0}e[0]+=n,e[1]+=o,e[2]+=r,e[3]+=u,e[4]+=f,e[5]+=a,e[6]+=i,e[7]+=s}function Et(e,t,n){let o=0;for(let s of t)o+=s.length;
let r=new M(o+9+63&-64),u=0;for(let s of t)r.set(s,u),u+=s.length;r[u]=128;let f=new me(r.buffer);f.setUint32(r.length-8,
(n+o)/2**29),f.setUint32(r.length-4,(n+o)*8);let a=e.slice(),i=new xe(64);for(let s=0;s<r.length;s+=64){for(let c=0;c<16;c++)
i[c]=f.getUint32(s+c*4);Yt(a,i)}return a}function At(e){let t=new M(32),n=new me(t.buffer);return e.forEach((o,r)=>n.setUint32(
r*4,o)),t}var Wn=e=>e.map(t=>typeof t=="string"?X(t):t);function Ze(...e){return At(Et(Gn,Wn(e),0))}function Jn(e){let t=e.
length>64?Ze(e):e;return[54,92].map(n=>{let o=new xe(64);for(let u=0;u<64;u++)o[u>>2]|=((t[u]||0)^n)<<24-u%4*8;let r=Gn.
slice();return Yt(r,o),r})}function Kt(e,...t){let[n,o]=Jn(e);return At(Et(o,[At(Et(n,Wn(t),64))],64))}function Yn(e,t,n,o){
let[r,u]=Jn(X(e)),f=new xe(64),a=new xe(8),i=l=>{f.set(a),f.fill(0,8,16),f[8]=2147483648,f[15]=768,a.set(l),Yt(a,f)};a.set(
Et(r,[t,new M([0,0,0,1])],64)),i(u);let s=a.slice(),c=n-1;return new Se(l=>{let p=()=>{for(let d=2e3;d>0&&c>0;d--,c--){i(
r),i(u);for(let w=0;w<8;w++)s[w]^=a[w]}c>0?o(p):l(At(s))};p()})}function ar(){let e=new xe(256);for(let t=0;t<256;t++){let n=t;
for(let o=0;o<8;o++)n=n&1?n>>>1^2197175160:n>>>1;e[t]=n}return e}function kt(e){let t=-1;for(let n=0;n<e.length;n++)t=sr[(t^
e[n])&255]^t>>>8;return~t>>>0}function Qe(e,t){return e.length===t.length&&e.every((n,o)=>n===t[o])}var Zt=1,cr=1e6;function Kn(e,{address:t,projectId:n,resuming:o,secret:r,auth:u,onWelcome:f,onFrame:a,onEnd:i}){let s=e.
random(16),c="dial",l=null,p=e.connect(t,{projectId:n});p.onopen=()=>{c==="dial"&&(c="hello",g(T.hello,{minVersion:Zt,maxVersion:Zt,
nonce:s,project:Ze("conch.session.1 client",s,n)}))},p.onmessage=_=>{if(c!=="ended")try{if(typeof _=="string")throw new $(
"a text message");if(_.byteLength>$n)throw new $("message too long");for(let A of jn(new M(_)))d(A)}catch(A){e.log.debug(
`the host broke the protocol: ${A}`),E(c==="live"?"protocol_error":"not_a_host")}},p.onclose=(_,A)=>I({code:_,reason:A,text:""});
function d(_){if(c!=="ended")if(c==="live")_.type===T.bye?I({code:0,bye:_.code,text:_.text}):a(_);else if(_.type===T.reject)
I({code:4003,reject:_.code,text:_.text,retryAfter:_.retryAfterMillis});else if(_.type===T.challenge&&c==="hello")w(_);else if(_.
type===T.welcome&&c==="auth")x(_);else throw new $(`frame ${_.type} while joining`)}function w({version:_,nonce:A,project:B,
need:P,salt:J,iterations:v}){if(!Qe(B,Ze("conch.session.1 host",s,A,n)))return E("not_a_host");if(_!==Zt)return E("proto\
col_version");if(P>2||v>cr)return E("not_a_host");if(c="auth",P===0||o)return y(new M(0));let ne=r(P);if(ne===null)return E(
P===1?"bad_password":"bad_code");Yn(ne,J,v,D=>e.setTimeout(D,0)).then(D=>{c==="auth"&&(l=Kt(D,"conch.session.1 welcome",
s,A,n),y(Kt(D,"conch.session.1 join",s,A,n)))})}function y(_){g(T.auth,{...u(),proof:_})}function x(_){if(l&&!Qe(_.proof,
l)||_.resumed!==o)return E("not_a_host");c="live",f(_)}function E(_){c==="live"&&g(T.bye,{code:"protocol_error",text:""}),
I({code:0,fault:_,text:""},4002,_)}function I(_,A=4e3,B="left"){if(c==="ended")return;let P=c;c="ended",p.close(A,B),i({
stage:P,..._})}function g(_,A){S(Ye(_,A))}function S(_){c!=="ended"&&p.send(_)}return{send:g,write:S,get live(){return c===
"live"},get opened(){return c!=="dial"},close(_,A){c==="live"&&g(T.bye,{code:A,text:""}),c!=="ended"&&p.close(_,A),c="en\
ded"}}}var ce=_t,Ue=e=>e*4+Ce,ut=e=>e*4+W,Q=e=>(e-e%4)/4;function et(e,t,n,o,r){let u="",f={target:t,typeName:n,owner:o,persistent:r,
fields:new V,view:{}},a={get uuid(){return u||(u=ur(e.sessionId,t))},get typeName(){return f.typeName},get:i=>lr(f,`${i}`),
set:(i,s)=>fr(e,f,`${i}`,s),names:()=>[...f.fields.keys()]};return t%4===W&&O.defineProperties(a,{netObjectId:{value:Q(t),
enumerable:!0},owner:{get:()=>f.owner,enumerable:!0},persistent:{get:()=>f.persistent,enumerable:!0},isMine:{get:()=>f.owner===
e.localConnectionId,enumerable:!0}}),f.view=O.freeze(a),f}function Qn(e,t){for(let n=t.length;n>0;n=t.lastIndexOf(".",n-
1)){let o=t.slice(0,n),r=e.fields.get(o);if(r)return{name:o,value:r.value,rest:n<t.length?t.slice(n+1).split("."):[]}}return null}
var eo=e=>typeof e=="object"&&e!==null&&!st.isView(e);function lr(e,t){let n=Qn(e,t);if(!n)return;let{value:o}=n;for(let r of n.
rest){if(!eo(o)||!O.prototype.hasOwnProperty.call(o,r))return;o=o[r]}return o}function fr(e,t,n,o){if(!e.writable)throw new ee(
"only the session host changes state, while the session is active");let r=Qn(t,n);if(!r||r.rest.length===0)return Zn(e,t,
n,o);Zn(e,t,r.name,to(r.value,r.rest,o))}function to(e,[t,...n],o){if(!eo(e))throw new U(`state: nothing can be set at ${t}\
, its parent holds no list or object`);let r=Array.isArray(e);if(r&&!(fe(t)<=e.length))throw new U(`state: ${t} is no po\
sition of the list`);let u=r?[...e]:{...e},f=O.prototype.hasOwnProperty.call(u,t);return n.length>0&&(o=to(f?u[t]:{},n,o)),
o!==void 0?O.defineProperty(u,t,{value:o,enumerable:!0,writable:!0,configurable:!0}):r?u.splice(fe(t),1):delete u[t],u}function Zn(e,t,n,o){
let r=X(n).length;if(r===0||r>128)throw new U("state: a name has 1 to 128 bytes");if(o===void 0){t.fields.delete(n)&&e.changed(
t,n,null);return}let u=Xe(o),f=Ge(u);t.fields.set(n,{key:0,raw:u,value:f}),e.changed(t,n,u)}function ur(e,t){return Qt(Ze(
`${e}
${t}`),128)}function Qt(e,t){let n=e.slice(0,16);return n[6]=n[6]&15|t,n[8]=n[8]&63|128,en(n).replace(/^(.{8})(.{4})(.{4})(.{4})/,
"$1-$2-$3-$4-")}function en(e){let t="";for(let n of e)t+=(n+256).toString(16).slice(1);return t}function dr(e){return Qt(e.random(16),64)}function je(e,{uuid:t,name:n,tid:o},r){let u=r&&typeof r.instanceId=="string"?
r.instanceId:dr(e);return O.freeze({...r,instanceId:u,scene:O.freeze({uuid:t,name:n}),transitionId:o})}function no(e){if(!e||
typeof e.uuid!="string"||e.uuid===""||e.uuid.length>36)throw new U("hostLoadScene: a scene has a uuid and a name");return{
uuid:e.uuid,name:`${e.name===void 0?"":e.name}`}}var pr=["protocol_version","wrong_project","wrong_session","build_mismatch","bad_password","bad_code","full","banned","a\
pproval_timeout","approval_error","host_stopping","rate_limited","bad_token","timeout","protocol_error"];function Me(e){
return e.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,"").trim()}function Ae(e,t){let n=X(e);if(n.length<=t)return e;let o=t;for(;o>
0&&(n[o]&192)===128;)o--;return Te(n.subarray(0,o))}function Rt(e){return[...Me(`${e}`)].slice(0,32).join("")}function Ot(e,t){
let n=Me(t);return n?`${e}: ${n}`:e}function ro({stage:e,code:t,bye:n,reject:o,fault:r,text:u}){return o==="build_mismat\
ch"?Ot(o,u):o?pr.includes(o)?o:Ot("refused",u):r||(n==="host_stopped"||t===4001?"host_stopping":n==="kicked"?Ot("refused",
u):e==="hello"?"not_a_host":"unreachable")}var oo={kicked:"kicked",4004:"kicked",host_stopped:"host_stopped",host_stopping:"\
host_stopped",left:"host_stopped",local_stop:"host_stopped",4e3:"host_stopped",4001:"host_stopped",replaced:"replaced",4009:"\
replaced",rate_limited:"rate_limited",4008:"rate_limited",protocol_error:"protocol_error",4002:"protocol_error",1002:"pr\
otocol_error",1009:"protocol_error",scene_load_failed:"scene_load_failed",scene_load_timeout:"scene_load_timeout",4011:"\
scene_load_failed"};function tn(e,t){let n=O.prototype.hasOwnProperty.call(oo,e)?oo[e]:"connection_lost";return n==="kic\
ked"||n==="scene_load_failed"?Ot(n,t):n}function It(e){return e.toUpperCase().replace(/[\s-]/g,"").replace(/O/g,"0").replace(
/[I1]/g,"L").replace(/U/g,"V")}function so(e,{say:t,sceneLoader:n,leave:o,report:r,later:u,appear:f}){let a={tid:0,name:"",uuid:"",loaded:null,reported:!1,
failure:"",asked:!1,active:!1},i=null,s=0;function c(){r({transition:a.tid,ok:a.failure==="",text:a.failure})}function l(){
a.active||!a.loaded||(a.active=!0,i=a.loaded,f(),t("onClientSceneActivate",a.tid))}function p(d,w,y){a.tid===0&&e.log.note(
"notifyClientSceneLoaded: the host has not asked for a scene"),!(!d||d.transitionId!==a.tid||a.reported)&&(a.reported=!0,
w?(a.loaded=je(e,a,d),s=a.tid):a.failure=Ae(y||"the scene could not be loaded",512),c(),w&&a.asked&&u(l))}return{get active(){
return i},get lastLoaded(){return s},get ready(){return a.tid===0||a.loaded!==null},load({transition:d,uuid:w,name:y,seamless:x}){
if(d<a.tid)return;if(d===a.tid)return a.reported?c():void 0;o(x),a={tid:d,name:y,uuid:w,loaded:null,reported:!1,failure:"",
asked:!1,active:!1};let E=a;t("onClientSceneLoadRequested",w,y,x,d);let I=n();typeof I=="function"&&new Se(g=>g(I({uuid:w,
name:y},x))).then(g=>p({...je(e,E,g)},!0,""),g=>{e.log.error(`the scene ${y} could not be loaded:`,g),p({transitionId:d},
!1,g instanceof ee?g.message:"")})},activate(d){d===a.tid&&(a.asked=!0,l())},loaded:p}}function $t({ids:e,gameState:t,playerState:n,playerStates:o,objects:r,onRpc:u,change:f}){let a=io(o),i=io(r);function s(){
if(!f)throw new ee("only the session host spawns, despawns and gives objects away");return f}return O.seal({get sessionId(){
return e().sessionId},get projectId(){return e().projectId},get buildHash(){return e().buildHash},get gameState(){return t()||
null},get playerState(){return n()||null},get playerStates(){return a},get objects(){return i},spawn:(c,l,p)=>s().spawn(
c,l,p),despawn:c=>s().despawn(c),setOwner:(c,l)=>s().setOwner(c,l),onRpc:(c,l,p)=>u(c,l,!!(p&&p.anyone)),sceneLoader:void 0})}
var hr=["get","has","keys","values","entries"];function io(e){let t={get size(){return e.size},forEach:n=>e.forEach((o,r)=>n(
o,r,t)),[Symbol.iterator]:()=>e[Symbol.iterator]()};for(let n of hr)t[n]=o=>e[n](o);return O.freeze(t)}var wr=16,ao=4,co=2,lo=250,fo=2e3,uo=.05;function po(){let e=[],t=!1,n=0,o=0,r=0,u=uo,f=0;function a(s){let c=F(0,(s-o)*
u);return n+te(F(r-n,-c),c)}function i(s,c){n=t?a(c):s,t=!0,o=c,u=uo,r=s;let l=s-n;return pn(l)<co?r=n:l>lo||l<-fo?n=s:l<
-lo&&(u=.5),l>=-fo?!1:(f=0,!0)}return{get synced(){return t},start(s,c){t||(r=n=s-c,o=c,t=!0)},sample(s,c,l,p){let d=p-s-
(l-c);if(s>p||c>l||d<0||e.length>=ao&&d>3*nn(e.map(y=>y.rtt))+co)return!1;e.push({offset:(c-s+(l-p))/2,rtt:d}),e.length>
wr&&e.shift();let w=[...e].sort((y,x)=>y.rtt-x.rtt).slice(0,ao);return i(nn(w.map(y=>y.offset)),p)},reset(){e=[]},get rtt(){
return e.length?nn(e.map(s=>s.rtt)):0},now(s){return f=F(f,s+a(s)),f}}}function nn(e){let t=[...e].sort((o,r)=>o-r),n=t.
length>>1;return t.length%2?t[n]:(t[n-1]+t[n])/2}var mr=8,ho=50,gr=5e3,wo=3e3;function Ct(e,{ping:t,silent:n}){let o=po(),r=new V,u=0,f=0,a=0,i=0,s=2e3,c=1e4,l=!1,p=0,d=0;
function w(){let I=De(e.now()*1e3);r.size>64&&r.clear(),r.set(++u,I),t(u,I)}function y(){e.clearTimeout(d);let I=mr,g=()=>{
l&&w(),--I>0&&(d=e.setTimeout(g,ho))};g()}function x(){f=te(f,e.now()-c+wo),r.clear(),o.reset(),y(),E(wo+ho)}function E(I){
e.clearTimeout(p),a=e.now(),i=e.wall();let g=I;p=e.setTimeout(()=>{if(F(e.now()-a,e.wall()-i)>g+gr)return x();if(e.now()-
f>c)return n();w(),E(s)},I)}return{clock:o,start({pingMillis:I,timeoutMillis:g},S){s=F(250,te(I,6e4)),c=F(2e3,te(g,6e5)),
l=!0,f=e.now(),o.start(S/1e3,f),r.clear(),o.reset(),y(),E(s)},stop(){l=!1,e.clearTimeout(p),e.clearTimeout(d)},hear(){f=
e.now()},pong({seq:I,t0:g,t1:S,t2:_}){let A=r.get(I);A===void 0||A!==g||(r.delete(I),o.sample(A/1e3,S/1e3,_/1e3,e.now())&&
e.log.note("the clock of the session went back"))},wake(){l&&x()}}}var yr=.95,mo=.9;function go(e,t){let n=[],o=null,r=0,u=0;function f(){let i=e.now();for(let s of o||[])s.have=te(s.burst,
s.have+s.rate*(i-r)/1e3);r=i}function a(){if(e.clearTimeout(u),!!o)for(f();n.length>0;){let{frame:i,isCall:s,sent:c}=n[0],
l=[1,i.length,s?1:0],p=0;if(o.forEach((d,w)=>{p=F(p,(te(l[w],d.burst)-d.have)/d.rate)}),p>0){u=e.setTimeout(a,te(p,1)*1e3+
1);return}o.forEach((d,w)=>{d.have-=l[w]}),n.shift(),t(i),c&&c()}}return{send(i){n.push(i),a()},cancel(i){let s=n.length;
return n=n.filter(c=>c!==i),n.length<s},start(i){let s=(c,l)=>({rate:F(c*yr,.001),burst:F(l*mo,1),have:F(l*mo,1)});o=[s(
i.frames,i.framesBurst),s(i.bytes,i.bytesBurst),s(i.calls,i.callsBurst)],r=e.now(),a()},pause(){e.clearTimeout(u),o=null,
n=n.filter(i=>i.isCall)},stop(){this.pause(),n=[]}}}function bo(e,t){let n=new V,o=new V,r=new V,u=new pe,f=-1;function a(l,p,d,w){let y=et(e,l,p,d,w);return n.set(l,y),l%4===
W&&o.set(Q(l),y.view),l%4===Ce&&r.set(Q(l),y.view),y}function i(l){n.delete(l)&&(u.delete(l),l%4===Ce&&r.delete(Q(l)),l%
4===W&&o.delete(Q(l))&&t.removed(Q(l)))}function s(l,p){for(let{name:d,key:w,removed:y,raw:x,value:E}of p){let I=l.fields.
get(d);(y?I:!I||!Qe(I.raw,x))&&u.add(l.target),y?l.fields.delete(d):l.fields.set(d,{key:w,raw:x,value:E})}}function c(l){
let{target:p,class:d,owner:w,persistent:y,fields:x}=l,E=n.get(p);E&&E.typeName!==yo(p,d)&&(i(p),E=void 0);let I=!E;E||(E=
a(p,yo(p,d),w,y));let g=E.fields;E.fields=new V;for(let{name:S,key:_,raw:A,value:B}of x)E.fields.set(S,{key:_,raw:A,value:B});
(I||E.owner!==w||!br(g,E.fields))&&u.add(p),E.owner=w,E.persistent=y,!(!I||p%4!==W)&&(u.delete(p),t.appeared(Q(p)))}return a(
ce,"GameState",0,!1),{objects:o,players:r,get seq(){return f},get gameState(){return n.get(ce)?.view},playerState:l=>n.get(
Ue(l))?.view,snapshot(l,p){let d=new pe([ce]);c({target:ce,class:"",owner:0,persistent:!1,fields:[],...p.find(w=>w.target===
ce)});for(let{target:w}of p)d.add(w);for(let w of[...n.keys()])d.has(w)||i(w);for(let w of p)w.target!==ce&&c(w);f=l},delta({
prev:l,seq:p,changes:d}){if(l!==f)return!1;for(let{target:w,fields:y}of d){let x=n.get(w)||(w%4===Ce?a(w,"PlayerState",0,
!1):void 0);x&&s(x,y)}return f=p,!0},spawn(l){i(l.target),c(l)},despawn:i,setOwner(l,p){let d=n.get(l);!d||d.owner===p||
(d.owner=p,u.add(l))},dropObjects(l){for(let p of[...n.values()])p.target%4===W&&!(l&&p.persistent)&&i(p.target)},checksum(){
let l=[...n.values()].sort((p,d)=>p.target-d.target).map(p=>({target:p.target,class:p.typeName,owner:p.owner,persistent:p.
persistent,fields:[...p.fields.values()].sort((d,w)=>d.key-w.key).map(({key:d,raw:w})=>({name:d,removed:!1,raw:w,value:null}))}));
return kt(Ln(l))},takeChanged(){let l=[...u];return u.clear(),l}}}function yo(e,t){return e%4===W?t:e%4===Ce?"PlayerStat\
e":"GameState"}function br(e,t){if(e.size!==t.size)return!1;for(let[n,{raw:o}]of e){let r=t.get(n);if(!r||!Qe(o,r.raw))return!1}
return!0}function _o(e,{projectId:t,sessionId:n},o){let r=1,u=()=>`conch.session ${t} ${o.text} ${r}`;for(;e.places.has(u());)r++;
let f=u();e.places.add(f);let a=null;try{let i=Be.parse(e.storage?.getItem(f)||"");(!n||n===i.session)&&/^[0-9a-f]{32}$/.
test(i.token)&&(a=new M(16).map((c,l)=>parseInt(i.token.slice(l*2,l*2+2),16)))}catch{}return{get token(){return a},keep(i,s){
a=i;try{e.storage?.setItem(f,Be.stringify({token:en(i),session:s}))}catch{}},forget(){a=null;try{e.storage?.removeItem(f)}catch{}},
leave(){e.places.delete(f)}}}var _r=5e3,So=[0,250,500,1e3,2e3],Sr=[1001,1005,1006,4005,4010],xr=["launcher","browser"];function xo(e,{mail:t,emit:n,finished:o},r,u){
let{projectId:f}=r,a=_o(e,r,u),i=0,s="",c="player",l={},p=!1,d=!1,w=!1,y=!1,x=null,E=0,I=!1,g=0,S=0,_=0,A=[],B=null,P=!1,
J=!0,v=Ct(e,{ping:(h,k)=>x?.send(T.ping,{seq:h,t0:k}),silent:()=>{I=!0,x?.close(4005,"timeout"),he()}}),ne=go(e,h=>x?.write(
h)),D=Tt({log:e.log,now:e.now,later:h=>t.post(h,"always")}),Oe={get sessionId(){return s},get localConnectionId(){return i},
writable:!1,changed(){}},Re=new pe,L=bo(Oe,{appeared(h){d&&le.ready?oe("onClientObjectReplicated",h):Re.add(h)},removed(h){
Re.delete(h)||oe("onClientObjectRemoved",h)}}),le=so(e,{say:oe,sceneLoader:()=>y?void 0:dt.sceneLoader,leave:L.dropObjects,
report:h=>ne.send({frame:Ye(T.loaded,h),isCall:!1}),later:h=>t.post(h),appear:Pe}),dt=$t({ids:()=>({sessionId:s,projectId:f,
buildHash:r.buildHash}),gameState:()=>L.gameState,playerState:()=>L.playerState(i),playerStates:L.players,objects:L.objects,
onRpc:D.handle,change:null});function oe(h,...k){y||n(h,...k)}function pt(){d=!0,oe("onSessionStarted"),L.takeChanged(),
oe("onClientGameStateReplicated",L.gameState),L.playerState(i)&&oe("onClientPlayerStateReplicated",L.playerState(i)),Pe()}
function Pe(){if(!d||!le.ready)return;let h=[...Re];Re.clear();for(let k of h)oe("onClientObjectReplicated",k)}function Ie(){
J||!x||(J=!0,ne.send({frame:Ye(T.resync,{seq:F(L.seq,0)}),isCall:!1}))}function Le({name:h,args:k,from:H,object:G},z){if(G!==
0&&!L.objects.has(G))return z("no_object");D.run(h,k,H,G,z)}function Ne(h){e.clearTimeout(_),p&&(e.clearTimeout(S),S=e.setTimeout(
()=>{x?.close(4005,"timeout"),we()},F(1e3,te(_r,K()))));try{x=ve(h)}catch(k){p?we():ie("unreachable",k instanceof ee?k.message:
"")}}function ve(h){return Kn(e,{address:u,projectId:f,resuming:h,secret:k=>k===1?r.password===void 0?null:r.password:r.
joinCode||It(u.code)||null,auth:()=>({build:r.buildHash,session:r.sessionId,name:r.playerName,kind:xr.indexOf(e.kind),spectator:r.
asSpectator,userData:r.userData,resume:h&&a.token?a.token:new M(0),loaded:le.lastLoaded}),onWelcome:m,onFrame:b,onEnd:k=>se(
k,h)})}function m(h){if(p&&h.id!==i)throw new $("another seat");if(h.id<2)throw new $("a seat that no client has");e.clearTimeout(
S),i=h.id,s=h.session,c=h.role===1?"spectator":"player",l=h.limits,A=[],B=null,P=!1,J=!0,a.keep(h.token,s),ne.start(l),v.
start(l,h.hostMicros),p?(g=0,I=!1,t.post(()=>{D.endLost(),oe("onClientConnectionResumed")})):S=e.setTimeout(()=>ie("time\
out","the host sent no state"),r.timeoutMs)}function b(h){if(v.hear(),t.flooded)throw new $("more than anybody can read");
switch(h.type){case T.ping:{let k=De(e.now()*1e3);return x?.send(T.pong,{seq:h.seq,t0:h.t0,t1:k,t2:k})}case T.pong:return v.
pong(h);case T.load:return t.post(()=>le.load(h));case T.activate:return t.post(()=>le.activate(h.transition));case T.result:{
let k=e.now();return t.post(()=>D.settle(h.call,1,ft[h.status]||"unknown",h.value,k),"keep",h.weight)}case T.rpc:return C(
h);case T.relayed:{t.full||t.post(()=>Le(h,()=>{}),"call",h.weight);return}default:return j(h)}}function C(h){let k=x,H=(G,z=new M(
0))=>{h.call===0||!k||!k.live||k!==x||k.send(T.result,{call:h.call,status:ft.indexOf(G),value:z})};if(t.full)return H("q\
ueue_full");t.post(()=>Le({...h,from:1},H),"call",h.weight)}function j(h){switch(h.type){case T.names:if(h.base!==A.length)
throw new $("a gap in the table of names");A.push(...h.names);return;case T.snapBegin:B={seq:h.seq,size:h.size,got:0,parts:[]};
return;case T.snapPart:if(!B||(B.got+=h.data.length)>B.size)throw new $("a part too much");B.parts.push(h.data);return;case T.
snapEnd:return re(h.crc);case T.delta:{let k=h.changes.map(z=>({target:z.target,fields:q(z.fields)})),{prev:H,seq:G}=h;return Y(
h.weight,()=>{L.delta({prev:H,seq:G,changes:k})||Ie()})}case T.spawn:{let k={...h.entity,fields:q(h.entity.fields)};return Y(
h.weight,()=>L.spawn(k))}case T.despawn:return Y(h.weight,()=>L.despawn(h.target));case T.owner:return Y(h.weight,()=>L.
setOwner(h.object*4+W,h.owner));case T.check:return Y(h.weight,()=>{!J&&(L.seq!==h.seq||L.checksum()!==h.crc)&&Ie()});default:
throw new $(`a host does not send frame ${h.type}`)}}function q(h){return h.map(({name:k,removed:H,raw:G,value:z})=>{let ae=A[k];
if(ae===void 0)throw new $("a name that is not in the table");return{name:ae,key:k,removed:H,raw:G,value:z}})}function re(h){
if(!B)throw new $("the end of no snapshot");let{seq:k,size:H,got:G,parts:z}=B;B=null;let ae=new M(H),Lt=0;for(let rt of z)
ae.set(rt,Lt),Lt+=rt.length;if(G!==H||kt(ae)!==h)throw new $("a damaged snapshot");let Mo=Pn(ae).map(rt=>({...rt,fields:q(
rt.fields)}));Y(H,()=>{J=!1,L.snapshot(k,Mo),d?Pe():pt()}),!(p||P)&&(p=!0,e.clearTimeout(S))}function Y(h,k){t.full&&!P&&
(t.dropState(),P=!0),P||t.post(k,"state",h)}function se(h,k){if(w)return;let{code:H,bye:G,reject:z,fault:ae}=h;if(!p)return k&&
z==="bad_token"?(a.forget(),Ne(!1)):ie(ro(h),h.text);if(z)return z==="bad_token"||z==="host_stopping"?ie(tn(z,"")):we();
if(!(ae?h.stage!=="live":G?G==="timeout"||G==="slow_consumer":Sr.includes(H)))return ie(tn(G||ae||H,h.text));h.stage==="\
live"?he():we()}function he(){if(v.stop(),ne.pause(),!p)return ie("unreachable");x=null,E=e.now(),D.linkLost(),t.post(()=>oe(
"onClientConnectionLost")),g=0,we()}function K(){return E+F(1e3,te(l.resumeMillis,6e5))-e.now()}function we(){x=null,e.clearTimeout(
S),e.clearTimeout(_);let h=K();if(h<=0)return ie(I?"host_not_responding":"connection_lost");let k=So[te(g++,So.length-1)];
_=e.setTimeout(()=>Ne(!0),te(k,h))}let Z=e.onWake(()=>{w||(x&&x.live?v.wake():p&&!x&&(g=0,Ne(!0)))});function ie(h,k=""){
w||(w=!0,Z(),v.stop(),ne.stop(),e.clearTimeout(S),e.clearTimeout(_),x?.close(4e3,"left"),x=null,p&&a.forget(),a.leave(),
t.post(()=>{y=!0,d=!1,D.failAll(h);let H=Me(k);o(!H||h.endsWith(H)?h:`${h}: ${H}`),n(p?"onSessionStopped":"onClientJoinF\
ailed",h)},"always"))}return S=e.setTimeout(()=>ie("timeout"),r.timeoutMs),Ne(a.token!==null),{mode:"client",isAuthority:!1,
hostPort:0,peers:[],get isSessionActive(){return d&&!y},get localConnectionId(){return d&&!y?i:0},get localRole(){return d&&
!y?c:"none"},get sessionId(){return d&&!y?s:""},get activeScene(){return le.active},get context(){return d&&!y?dt:null},
serverTime:()=>d&&v.clock.synced?v.clock.now(e.now()):e.wall(),stop(){t.discard(),ie(p?"local_stop":"cancelled"),d=!1,y=
!0},update(){if(!y){D.expire();for(let h of L.takeChanged())h===ce?oe("onClientGameStateReplicated",L.gameState):h===Ue(
i)?oe("onClientPlayerStateReplicated",L.playerState(i)):h%4===W&&!Re.has(Q(h))&&oe("onClientObjectReplicated",Q(h));!P||
!x||(P=!1,J=!1,Ie())}},notifyClientSceneLoaded(h,k,H){y||le.loaded(h,k,`${H}`)},sendRpcToHost(h,k,H){let G={name:Ke(h),object:k,
args:ue(H)};if(w||!d)return Pt("not_connected");if(G.args.length>l.args)return sn("too_large");if(D.inFlight>=l.callsInFlight)
return sn("queue_full");let z={frame:G.args,isCall:!0,sent:()=>{ae.sent=!0}},ae=D.open([1],!1,()=>ne.cancel(z));return z.
frame=Ye(T.rpc,{call:ae.id,...G}),ne.send(z),ae.operation.op}};function Pt(h){let k=Ee({log:e.log,later:H=>t.post(H,"alw\
ays")});return t.post(()=>k.fail(h),"always"),k.op}function sn(h){let k=D.open([1],!1,()=>!1);return t.post(()=>D.settle(
k.id,1,h),"always"),k.operation.op}}function To(e,t){let n=new V;function o(r,u){if(typeof r!="function")throw new U(`${e}: a listener is a function`);return n.
has(r)||n.set(r,u),()=>{n.delete(r)}}return{event:O.freeze({add:r=>o(r,!1),once:r=>o(r,!0),remove:r=>n.delete(r),clear:()=>n.
clear(),get count(){return n.size}}),emit(...r){for(let[u,f]of[...n])if(n.has(u)){f&&n.delete(u);try{u(...r)}catch(a){t.
error(`${e}: a listener threw:`,a)}}}}}var Ut=1;function Eo({sessionId:e,isActive:t,isPeer:n,say:o}){let r=new V,u=new V,f=new V,a=new pe,i=0,s={sessionId:e,localConnectionId:Ut,
get writable(){return t()},changed:(g,S,_)=>{r.get(g.target)===g&&o("set",g.target,S,_)}},c=et(s,ce,"GameState",0,!1);r.
set(ce,c);function l(g){let S=Ue(g),_=r.get(S)||et(s,S,"PlayerState",0,!1);return r.set(S,_),f.set(g,_.view),_}function p(g,S,_,A,B){
let P=et(s,g,S,_,A),J=Q(g);return r.set(g,P),u.set(J,P.view),B&&a.add(J),J>i&&(i=J),P}function d(g){let S=Q(g);return a.
delete(S),u.delete(S),r.delete(g)}function w(g){d(g)&&o("despawn",Q(g))}function y(g,S){for(let[_,A]of S)g.fields.has(_)||
g.fields.set(_,{key:0,raw:A,value:Ge(A)})}function x(){if(!t())throw new ee("the session is over")}function E(g){if(g===
void 0||g===0||g===Ut||n(g))return g||0;throw new U(`no peer ${g} in the session`)}return{game:c,objects:u,players:f,change:{
spawn(g,S,_){x();let A=typeof g=="string"?X(g).length:0;if(A===0||A>128)throw new U("spawn: the type of an object is a t\
ext of 1 to 128 bytes");let{owner:B,persistent:P=!1,despawnWithOwner:J=!1}=_||{},v=E(B),ne=on(S||{}),D=i+1,Oe=p(ut(D),g,
v,!!P,!!J);return y(Oe,ne),o("spawn",D,g,v,Oe.persistent,a.has(D),ne),Oe.view},despawn(g){x(),w(ut(g))},setOwner(g,S){x();
let _=r.get(ut(g));if(!_)throw new U(`no object ${g} in the session`);_.owner=E(S),o("owner",g,_.owner)}},restore([g,S,_,
A,B,P]){g%4!==W?y(g===ce?c:l(Q(g)),S):r.has(g)||y(p(g,_,A,B,P),S)},addPlayer(g,S){y(l(g),S)},removePlayer(g){f.delete(g),
r.delete(Ue(g))},orphan(g){for(let S of[...r.values()])S.target%4!==W||S.owner!==g||(a.has(Q(S.target))?w(S.target):(S.owner=
Ut,o("owner",Q(S.target),Ut)))},clear(){for(let g of[...u.keys()])w(ut(g))},leaveScene(g){x();for(let S of[...r.values()])
S.target%4===W&&!(g&&S.persistent)&&d(S.target)}}}function on(e){let t=typeof e.names=="function"&&typeof e.get=="functi\
on",n=t?e.names():O.keys(e),o=[];for(let r of n){if(X(r).length>128||r==="")throw new U("state: a name has 1 to 128 byte\
s");o.push([r,Xe(t?e.get(r):e[r])])}return o}function Ao(e,{callback:t,ids:n,say:o}){let r=new V,u=[];function f(i){let s=r.get(i);r.delete(i),s&&s.abort()}function a(i,s){
let c=r.get(i);if(!c)return;let l=w=>{let y=w!==null&&typeof w=="object"?w:{approved:w},x=y.playerState?on(y.playerState):
[],E=y.role==="spectator"||y.role==="player"?y.role:"",I=Ae(`${y.reason||""}`,512);r.delete(i)&&o("decide",i,y.approved===
!0,I,E,x)},p=w=>{e.log.error("connectionApprovalCallback threw:",w),r.delete(i)&&o("decide",i,null,"","",[])},d=t();if(typeof d!=
"function")return l(!0);try{let w=d(O.freeze({projectId:n.projectId,buildHash:s.build,sessionId:n.sessionId,playerName:s.
name,asSpectator:s.spectator,userData:s.userData,provisionalConnectionId:i,remoteAddress:s.address,clientKind:s.kind,buildMatches:s.
buildMatches,signal:c.signal}));w&&typeof w.then=="function"?w.then(l).then(void 0,p):l(w)}catch(w){p(w)}}return{ask(i,s){
r.set(i,new an),u.push(()=>a(i,s))},forget:f,decide(){let i=u;u=[];for(let s of i)s()},stop(){u=[];for(let i of[...r.keys()])
f(i)}}}var Tr=O.freeze({isValid:!1,connectionId:0,state:"gone",role:"player",playerName:"",clientKind:"browser",joinedAtEpochMs:0,
rttMs:0,jitterMs:0,transitionId:0,remoteAddress:"",userData:new M(0),stats:O.freeze({bytesIn:0,bytesOut:0,queuedBytes:0,
droppedRpcs:0})}),ko=()=>Tr;function tt(e){return O.freeze({isValid:!0,connectionId:e.id,state:e.state,role:e.role,playerName:Rt(
e.name),clientKind:e.kind,joinedAtEpochMs:e.joinedAt,rttMs:e.rtt,jitterMs:e.jitter,transitionId:e.transition,remoteAddress:e.
address,userData:e.userData,stats:O.freeze({bytesIn:e.bytesIn,bytesOut:e.bytesOut,queuedBytes:e.queued,droppedRpcs:e.dropped})})}var ke=1,Oo={size:32<<20,nesting:20,elements:1<<17},Er=500,Ar=2e3;function Ro(e,{mail:t,emit:n,finished:o,approval:r},u,f,a){
let{sessionId:i}=u,s=!0,c=!1,l=!1,p=e.now(),d=new V,w=null,y=Ao(e,{callback:r,ids:u,say:v}),x={tid:0,uuid:"",name:"",instance:null},
E=null,I=null,g=Tt({log:e.log,now:e.now,later:m=>t.post(m,"always")}),S=Ct(e,{ping:(m,b)=>v("ping",m,b),silent(){}});S.clock.
start(f.hostMicros/1e3,e.now());let _=e.onWake(()=>{S.wake(),y.decide()}),A=Eo({sessionId:i,isActive:()=>s,isPeer:m=>d.has(
m),say:v}),B=$t({ids:()=>u,gameState:()=>A.game.view,playerState:()=>A.players.get(ke),playerStates:A.players,objects:A.
objects,onRpc:g.handle,change:A.change}),P=[],J=!1;a.onopen=()=>{J=!0,S.start({pingMillis:1e4,timeoutMillis:6e5},f.hostMicros),
D()},a.onclose=()=>ve(c?"local_stop":"connection_lost"),a.onmessage=m=>{let b;try{b=Ge(new M(m),Oo)}catch(C){return e.log.
error("the launcher sent something else than events:",C),ve("protocol_error")}for(let[C,...j]of b)Oe(C,j);e.now()-p>Er&&
y.decide()};function v(...m){ne(m)}function ne(m){!l&&P.push(m)===1&&Se.resolve().then(D)}function D(){if(!J||l||P.length===
0)return;let m=P;P=[],a.send(Xe(m,Oo))}function Oe(m,b){let[C,...j]=b;if(!(c&&m!=="stopped"))switch(m){case"pong":return S.
pong({seq:b[0],t0:b[1],t1:b[2],t2:b[3]});case"approve":return y.ask(C,j[0]);case"forget":return y.forget(C);case"stopped":
return ve(c?"local_stop":`${C}`);case"call":{let[q,re,Y,se,he]=j,K=(we,Z=new M(0))=>{he&&v("reply",C,we,Z)};return t.full?
K("queue_full"):t.post(()=>Pe(q,re,Y,se,K),"call",se.length)}default:{let q=Re[m];q&&t.post(()=>q(...b))}}}let Re={state:dt,
peers:m=>{for(let b of m)d.has(b.id)&&d.set(b.id,tt(b))},connected(m,b){let C=d.has(m.id);d.set(m.id,tt(m)),A.addPlayer(
m.id,b),C||L("onHostPeerConnected",d.get(m.id)),v("ready",m.id)},disconnected(m,b){w=tt({...m,state:"gone"}),d.delete(m.
id),A.orphan(m.id),L("onHostPeerDisconnected",m.id,b),w=null,A.removePlayer(m.id)},dropped:m=>le("onHostPeerDropped",m),
resumed:m=>le("onHostPeerResumed",m),load:oe,sceneLoaded:m=>le("onHostPeerSceneLoadComplete",m),activated(m,b){pt(b),le(
"onHostPeerActivatedInScene",m)},complete(m){pt(m),L("onHostSceneTransitionComplete",m)},aborted:(m,b)=>L("onHostTransit\
ionAborted",m,b),result:(m,b,C,j)=>g.settle(m,b,ft.includes(C)?C:"unknown",j),failed:(m,b)=>g.fail(m,`${b}`)};function L(m,...b){
c||n(m,...b)}function le(m,b){d.has(b.id)&&(d.set(b.id,tt(b)),L(m,b.id))}function dt(m){for(let b of m.entities)A.restore(
b);if(m.scene){let[b,C,j]=m.scene;x={tid:b,uuid:C,name:j,instance:null},E=je(e,x,null)}for(let b of m.peers)d.set(b.id,tt(
b));L("onSessionStarted");for(let{id:b}of m.peers)d.has(b)&&L("onHostPeerConnected",d.get(b))}function oe(m,b,C,j,q){q&&
(A.clear(),E=null),x={tid:m,uuid:b,name:C,instance:null};let re=x,Y=I&&I.uuid===b?I:{uuid:b,name:C},{sceneLoader:se}=B;(async()=>{
let K=typeof Y.load=="function"&&!Y.loaded&&await Y.load()||Y;return typeof se=="function"?se(K,j):null})().then(K=>{x===
re&&(re.instance=je(e,re,K),v("loaded",m,!0,""))},K=>{e.log.error(`the scene ${C} could not be loaded:`,K),v("loaded",m,
!1,Ae(K instanceof ee?K.message:`${K}`,512))})}function pt(m){x.tid===m&&(!E||E.transitionId!==m)&&(E=x.instance||je(e,x,
null))}function Pe(m,b,C,j,q){let re=C===0?null:A.objects.get(C);if(re===void 0)return q("no_object");if(re&&m!==ke&&re.
owner!==m&&g.handlers.has(b)&&!g.handlers.get(b)?.anyone)return q("not_owner");g.run(b,j,m,C,q)}function Ie(m,b,C,j,q){let re=Ke(
m),Y=ue(C).slice();if(!s)return Le(Z=>Z.fail("not_connected"));if(j.length===0)return Le(Z=>Z.succeed([]));let se=["call",
0,re,b,Y,[]],he=g.open(j,q,()=>j.includes(ke)||!P.includes(se)?!1:(P=P.filter(Z=>Z!==se),!0)),K=(Z,ie)=>t.post(()=>g.settle(
he.id,Z,ie));se[1]=he.id;let we=se[5];for(let Z of j)Y.length>f.maxArgs?K(Z,"too_large"):Z===ke?t.post(()=>Pe(ke,re,b,Y,
(ie,Pt)=>t.post(()=>g.settle(he.id,ke,ie,Pt)))):d.has(Z)?b!==0&&!A.objects.has(b)?K(Z,"no_object"):we.push(Z):K(Z,"peer_\
gone");return we.length>0&&ne(se),he.operation.op}function Le(m){let b=Ee({log:e.log,later:C=>t.post(C,"always")});return t.
post(()=>m(b),"always"),b.op}function Ne(){c||l||(v("stop"),D(),c=!0,s=!1,t.discard(),e.setTimeout(()=>ve("local_stop"),
Ar))}function ve(m){l||(l=!0,s=!1,_(),S.stop(),a.close(1e3,""),y.stop(),t.post(()=>{c=!1,g.failAll(m);for(let[b,C]of[...d].
sort(([j],[q])=>j-q))w=O.freeze({...C,state:"gone"}),d.delete(b),n("onHostPeerDisconnected",b,"host_stopped");w=null,o(m),
n("onSessionStopped",m)},"always"))}return{get mode(){return f.dedicated?"dedicated":"host"},isAuthority:!0,get hostPort(){
return s?f.port:0},get joinCode(){return s?f.joinCode:""},get isSessionActive(){return s},get localConnectionId(){return s?
ke:0},localRole:"authority",get sessionId(){return s?i:""},get peers(){return[...d.values()].sort((m,b)=>m.connectionId-
b.connectionId)},get activeScene(){return E},get context(){return s?B:null},serverTime:()=>S.clock.now(e.now()),peer:m=>d.
get(m)||(w&&w.connectionId===m?w:void 0),stop:Ne,beforeUpdate(){p=e.now(),y.decide()},update(){},disconnectPeer(m,b){if(m===
ke)throw new U("disconnectPeer: the host leaves by stop()");s&&d.has(m)?v("kick",m,Ae(`${b===void 0?"":b}`,512)):e.log.debug(
`disconnectPeer: no peer ${m}`)},hostLoadScene(m,b){let{uuid:C,name:j}=no(m);A.leaveScene(b),b||(E=null),I=m,v("scene",C,
Ae(j,128),b)},sendRpcToConnection:(m,b,C,j)=>Ie(m,b,C,[j],!1),sendRpcMulticast:(m,b,C,j)=>Ie(m,b,C,[...new pe(j)],!0),sendRpcToOwner(m,b,C){
let j=A.objects.get(b);return!j||j.owner===0?(Ke(m),Le(q=>q.fail(j?"no_owner":"no_object"))):Ie(m,b,C,[j.owner],!1)}}}function Io(){let e=[],t=0,n=0,o=0;function r(u){e=e.slice(t).filter(f=>u(f.kind)),t=0,n=0;for(let f of e)n+=f.bytes}return{
get full(){return e.length-t>=4096||n>8388608},get flooded(){return e.length-t>=2*4096},post(u,f="keep",a=0){e.push({kind:f,
bytes:a,order:++o,run:u}),n+=a},dropState:()=>r(u=>u!=="state"),discard:()=>r(u=>u==="always"),drain(){let u=o;for(;t<e.
length&&e[t].order<=u;){let f=e[t++];n-=f.bytes,f.run()}t===e.length?e=[]:e=e.slice(t),t=0}}}var kr=["onHostPeerConnected","onHostPeerDisconnected","onSessionStarted","onSessionStopped","onClientJoinFailed","onCli\
entSceneLoadRequested","onClientSceneActivate","onClientGameStateReplicated","onClientPlayerStateReplicated","onClientOb\
jectReplicated","onHostSceneTransitionComplete","onHostPeerSceneLoadComplete","onHostPeerActivatedInScene","onHostPeerDr\
opped","onHostPeerResumed","onHostTransitionAborted","onClientConnectionLost","onClientConnectionResumed","onClientObjec\
tRemoved"],rn={mode:"none",isAuthority:!1,hostPort:0,joinCode:"",isSessionActive:!1,localConnectionId:0,localRole:"none",
sessionId:"",peers:[],activeScene:null,context:null};function Co(e,t){let n=new fn,o=f=>{let a=n.get(f);if(!a)throw new U(
"not a NetSessionManager");return a};class r{constructor(){let a=Io(),i={},s={role:null,lastError:"",approval:null,mail:a,
updating:!1,hooks:{mail:a,emit:(c,...l)=>i[c](...l),finished(c){s.lastError=c,s.role=null},approval:()=>s.approval}};n.set(
this,s);for(let c of kr){let{event:l,emit:p}=To(c,e.log);i[c]=p,_e(this,c,{value:l,enumerable:!0})}}get peerCount(){return(o(
this).role||rn).peers.length}get serverTimeEpochMs(){let{role:a}=o(this);return a?a.serverTime():e.wall()}get lastError(){
return o(this).lastError}get connectionApprovalCallback(){return o(this).approval}set connectionApprovalCallback(a){if(a!=
null&&typeof a!="function")throw new U("connectionApprovalCallback is a function or null");o(this).approval=a||null}startHost(a,i,s,c,l={}){
let p=o(this),d={projectId:ot("projectId",a),sessionId:ot("sessionId",i),buildHash:ot("buildHash",s),port:c==null?null:Or(
c),...Rr(l)};if(p.role)return nt(p,"a session is active already");if(!e.host)return nt(p,"only a game that runs in Conch\
 can host a session");let w=e.host.start(d);return w.ok?(p.lastError="",p.role=Ro(e,p.hooks,d,w,e.host.link(w.link)),!0):
nt(p,Me(`${w.error}`))}joinSession(a,i){let s=o(this),c=Ir(a);if(s.role)return nt(s,"a session is active already");let l=zn(
i);return l?t.local&&!Fn(l,t.allowedHosts)?nt(s,`${l.text} is not on the local network; add it to Network > Allowed host\
s (network.allowedHosts in conch.json)`):(s.lastError="",s.role=xo(e,s.hooks,c,l),!0):nt(s,`'${Me(`${i}`).slice(0,100)}'\
 is not the address of a host; write host:${Jt}`)}stop(){let{role:a}=o(this);a&&a.stop()}update(a){let i=o(this);if(!i.updating){
i.updating=!0;try{i.role?.beforeUpdate&&i.role.beforeUpdate(),i.mail.drain(),i.role&&i.role.update()}finally{i.updating=
!1}}}getPeerForConnection(a){let{role:i}=o(this);return i&&i.peer&&i.peer(a)||ko()}disconnectPeer(a,i){$o(o(this),"disco\
nnectPeer").disconnectPeer(a,i)}hostLoadScene(a,i=!1){$o(o(this),"hostLoadScene").hostLoadScene(a,!!i)}notifyClientSceneLoaded(a,i=!0,s=""){
let{role:c}=o(this);if(!c||!c.notifyClientSceneLoaded)throw new ee("notifyClientSceneLoaded: only a client of a session \
calls it");c.notifyClientSceneLoaded(a,!!i,s)}sendRpcToHost(a,i,s){return u(o(this),"sendRpcToHost","not_client",[a,jt(i),
s])}sendRpcToConnection(a,i,s,c){return u(o(this),"sendRpcToConnection","not_host",[a,jt(i),s,Mt(c,"connectionId")])}sendRpcToOwner(a,i,s){
return u(o(this),"sendRpcToOwner","not_host",[a,jt(i),s])}sendRpcMulticast(a,i,s,c){if(!Array.isArray(c))throw new U("se\
ndRpcMulticast: connectionIds is a list");let l=c.map(p=>Mt(p,"a connection id"));return u(o(this),"sendRpcMulticast","n\
ot_host",[a,jt(i),s,l])}}for(let f of O.keys(rn))_e(r.prototype,f,{get(){let a=o(this).role||rn;return f==="joinCode"?a.
joinCode||"":f==="peers"?[...a.peers]:a[f]},configurable:!0});return _e(r,"name",{value:"NetSessionManager",configurable:!0}),
r;function u(f,a,i,s){if(ue(s[2]),f.role&&f.role[a])return f.role[a](...s);let c=Ee({log:e.log,later:l=>f.mail.post(l,"a\
lways")});return f.mail.post(()=>c.fail(f.role?i:"not_connected"),"always"),c.op}}function nt(e,t){return e.lastError=t,
!1}function $o(e,t){if(!e.role||!e.role.isAuthority)throw new ee(`${t}: only the session host calls it`);return e.role}function ot(e,t){
if(typeof t=="string"&&/^[A-Za-z0-9._:+-]{1,128}$/.test(t))return t;throw new U(`${e} has 1 to 128 of the characters A-Z\
 a-z 0-9 . _ : + -`)}function Mt(e,t){if(fe.isSafeInteger(e)&&e>=0)return e;throw new U(`${t} is a whole number, not ${e}`)}
function jt(e){return Mt(e,"the id of an object")}function Or(e){if(fe.isInteger(e)&&e>=0&&e<=65535)return e;throw new U(
`startHost: the port is a whole number from 0 to 65535, not ${e}`)}function Rr({password:e,open:t,maxPeers:n,anyBuild:o}){
let r={};return e!==void 0&&(r.password=`${e}`),t!==void 0&&(r.open=!!t),n!==void 0&&(r.maxPeers=Mt(n,"maxPeers")),o!==void 0&&
(r.anyBuild=!!o),r}function Ir(e){if(e===null||typeof e!="object")throw new U("joinSession: the request is an object wit\
h projectId and buildHash");let{projectId:t,buildHash:n,sessionId:o,playerName:r="",password:u,joinCode:f="",asSpectator:a,
userData:i,timeoutMs:s=1e4}=e,c=ue(i).slice();if(c.length>4096)throw new U(`joinSession: userData has ${c.length} bytes,\
 at most 4096 are sent`);if(u!==void 0&&X(`${u}`).length>1024)throw new U("joinSession: the password is longer than 1024\
 bytes");return{projectId:ot("projectId",t),buildHash:ot("buildHash",n),sessionId:o===void 0||o===""?"":ot("sessionId",o),
playerName:Rt(r),password:u===void 0?void 0:`${u}`,joinCode:It(`${f}`),asSpectator:!!a,userData:c,timeoutMs:fe.isFinite(
s)?te(F(s,1e3),6e4):1e4}}var $r=O.freeze({None:"none",Host:"host",Dedicated:"dedicated",Client:"client"}),Cr=O.freeze({None:"none",Authority:"aut\
hority",Player:"player",Spectator:"spectator"});function Uo(e,t){let{origin:n,allowedHosts:o}=t;return{NetSessionManager:Co(
Nn(e,t),{local:n!=="",allowedHosts:o}),NetSessionMode:$r,NetRole:Cr,DataStream:ye}}var be=globalThis,jo=Symbol.for("conch.session");function Ur(){let e=be[jo];return delete be[jo],e||{driver:gn(be.WebSocket),
log:yn({debug:!1},mt),origin:"",allowedHosts:[]}}if(be.document&&!(be.conch&&be.conch.NetSessionManager)){let e=Uo(be,Ur()),
{NetSessionManager:t}=e,n=O.freeze({version:"1.0",...be.conch,...e});for(let[o,r]of[["conch",n],["NetSessionManager",t]])
_e(be,o,{value:r,writable:!0,configurable:!0})}})();
