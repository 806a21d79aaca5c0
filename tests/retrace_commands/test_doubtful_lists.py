"""Lists that may be something else than edges are asked about; what only looks like it is read."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from time import perf_counter
from zipfile import ZipFile

import pytest
from test_own_graphs import arcs_of, read, refusal

from command_line import Patch
from retrace_commands import graph_file

ASKED = {
    # neighbours of a vertex
    "0\t1,2\n1\t0,2\n2\t0,1\n": "'1,2' may be several vertices",
    "1\t2;3\n2\t1;3\n": "'2;3' may be several vertices",
    "1:2,3\n2:1,3\n3:1,2\n": "'1:2' may be several vertices",
    "1; 2 3\n2; 1 3\n3; 1 2\n": "'2 3' may be several vertices",
    "1,2;3\n2,1;3\n3,1;2\n": "'1,2' may be several vertices",
    "a\tb,c\nb\ta,c\nc\ta,b\n": "'b,c' may be several vertices",
    "1\t2 3\n2\t1 3\n3\t1 2\n": "its rows may be a vertex and its neighbours",
    "1 2 4\n2 1 3\n3 2 4\n4 1 3\n": "its rows may be a vertex and its neighbours",
    "0 1 3\n1 0 2\n2 1 3\n3 0 2\n": "its rows may be a vertex and its neighbours",
    # pairs in cells, brackets
    "1\t2,5\n2\t3,6\n": "'2,5' may be several vertices",
    "1,2\t5\n2,3\t6\n": "'1,2' may be several vertices",
    "1 2:5\n2 3:6\n3 4:7\n": "'2:5' may be several vertices",
    "1-2 5\n2-3 6\n3-4 7\n": "'1-2' may be several vertices",
    "1->2 5\n2->3 6\n3->4 7\n": "'1->2' may be several vertices",
    "1 2; 2 3\n3 4; 4 5\n": "'1 2' may be several vertices",
    "(1,2) 5\n(2,3) 7\n(3,4) 1\n": "has brackets",
    "source,target\n(1,2)\n(2,3)\n": "brackets",
    "Edge(1,2,0)\nEdge(2,3,0)\nEdge(3,1,0)\n": "has brackets",
    "0 {1, 2}\n1 {0, 2}\n2 {0, 1}\n": "has brackets",
    "0 [1, 2]\n1 [0, 2]\n2 [0, 1]\n": "has brackets",
    '"(1, 2)",5\n"(2, 3)",6\n': "'(1, 2)' may be several vertices",
    "a:b 5\nb:c 6\nc:d 7\n": "'a:b' may be several vertices",
    "a->b 5\nb->c 6\n": "'a->b' may be several vertices",
    '"a,b",5\n"b,c",6\n': "'a,b' may be several vertices",
    "('ann', 'bob')\t5\n('bob', 'cy')\t6\n": "\"('ann', 'bob')\" may be several vertices",
    "a<->b 5\nb<->c 6\n": "'a<->b' may be several vertices",
    "a\tx;y\nb\tx;z\n": "'x;y' may be several vertices",
    "a\tx,y\nb\tx,z\nc\ty,z\n": "'x,y' may be several vertices",
    "a\tb, c\nb\tc, a\nc\ta, b\n": "'b, c' may be several vertices",
    "a\tx;y\nb\tx\nc\ty;z;x\n": "'x;y' may be several vertices",
    "ann\tbob\ncy\tdi\ned\tflo\nann\tbob,di\n": "'bob,di' may be several vertices",
    "Alice: Bob,Carol\nBob: Carol,Alice\n": "'Alice: Bob Carol' may be a vertex and its neighbours",
    "1: 2,3\n2: 1,3\n": "'1: 2' may be several vertices",
    # two columns of the same name, which are no vertices
    "user,item,rating_1,rating_2\nann,bob,5,3\nbob,cat,4,4\ncat,dan,1,2\n": "has 4 columns",
    "student1,student2,start_week,end_week\nann,bob,1,2\nbob,cat,3,4\n": "has 4 columns",
    # numbers written otherwise
    "1 2\n0x1f 3\n2 3\n3 4\n": "'0x1f' is called a vertex among numbers",
    "1 2\n1_000 3\n2 3\n3 4\n": "'1_000' is called a vertex among numbers",
    "1 2\n\uff12 3\n2 3\n3 4\n": "'\\uff12' is called a vertex among numbers",
    "source,target,directed\n1,2,yes\n2,3,no\n": "expected the type yes, as of the first edge, found 'no'",
    "# format: target source\n1 2\n2 3\n": "may be a header; say --columns 2 1",
    "#Fields: weight source target\n1 2 7\n2 3 8\n": "may be a header; say --columns 2 3 1",
    "# to from weight\n1 2 7\n2 3 8\n": "may be a header; say --columns 2 1 3",
    "#ID\tProtein A\tProtein B\n103\t64\t23\n117\t84\t88\n": "may be a header; say --columns 2 3",
    # two marks, one behind the other
    "a,b 3\nb,c 4\n": "'b 3' may be two cells",
    "a\tb 3\nb\tc 4\n": "'b 3' may be two cells",
    "a b\t3\nb c\t4\n": "'a b' may be two cells",
    "a;b,3\nb;c,4\n": "'b,3' may be two cells",
    # words between the vertices, or before them
    "1 - 2\n2 - 3\n3 - 4\n": "'-' stands between the vertices; say --columns 1 3",
    "1 <- 2\n2 <- 3\n": "'<-' stands between the vertices; say --columns 3 1",
    "2 <-- 1\n3 <-- 2\n": "say --columns 3 1",
    "1 \u2190 2\n2 \u2190 3\n": "say --columns 3 1",
    "a <- b\nb -> c\n": "write the tail of each first",
    "1 \u2192 2\n2 \u2192 3\n": "say --columns 1 3",
    "1 & 2\n2 & 3\n": "say --columns 1 3",
    "1 ==> 2\n2 ==> 3\n": "say --columns 1 3",
    "1 : 2\n2 : 3\n": "say --columns 1 3",
    "1 to 2\n2 to 3\n3 to 4\n": "'to' may stand between the vertices '1' and '2'",
    "a pp b\nb pp c\nc pp d\n": "'pp' may stand between the vertices 'a' and 'b'",
    "ann,knows,bob\nbob,knows,cy\n": "'knows' may stand between the vertices 'ann' and 'bob'",
    "ann,knows,bob\nbob,likes,cy\n": "'knows' may stand between the vertices 'ann' and 'bob'",
    "e 1 2\ne 2 3\n": "'e' may say what the row is; say --columns 2 3",
    "Edge 1 2\nEdge 2 3\n": "'Edge' may say what the row is",
    "v 1 1.0\nv 2 2.0\ne 1 2\n": "'v' may say what the row is",
    "edge a b\nedge b c\n": "'edge' may say what the row is",
    "v 0.5 0.5\nv 0.1 0.2\nl 1 2\n": "'v' may say what the row is",
    "is_a 1 2\nis_a 1 3\nis_a 2 3\n": "'is_a' may say what the row is",
    "rel a b\nrel b c\n": "'rel' may say what the row is; say --columns 2 3",
    "follows ann bob\nlikes bob cy\n": "'follows' may say what the row is",
    "1,root,5\n2,root,6\n": "say --columns 1 3, or 1 2 3 if they are not",
    # weights, coordinates and the numbers of edges in the place of vertices
    "0.5 1 2\n0.7 2 3\n": "'0.5' may be a weight or a coordinate; say --columns 2 3 1, or 1 2 3",
    "1 0.5 2\n2 0.7 3\n": "'0.5' may be a weight or a coordinate; say --columns 1 3 2, or 1 2 3",
    "1 -73.98 40.75\n2 -73.97 40.76\n": "'-73.98' may be a weight or a coordinate",
    "id,lon,lat\n1,-73.98,40.75\n2,-73.97,40.76\n": "'-73.98' may be a weight or a coordinate",
    "ann,0.5\nbob,0.7\n": "'0.5' may be a weight or a coordinate; say --format edges",
    "1 10 20\n2 20 30\n3 10 30\n": "its first column may have the numbers of edges; say --columns 2 3",
    "1 1 2\n2 2 3\n3 3 4\n4 4 1\n5 1 3\n6 2 4\n": "its first column may have the numbers of edges",
    "52.5 13.4\n48.1 11.6\n": "'13.4' may be a weight or a coordinate",
    "0 ann bob\n1 bob cy\n2 ann cy\n": "its first column may have the numbers of edges",
    "# edge from to\n1 10 20\n2 20 30\n": "may be a header; say --columns 2 3",
    # times first
    "1353303380\t1\t2\n1353303380\t3\t4\n1353303400\t1\t2\n": "its first column may have times",
    "1353303380,1,2\n1353303400,3,4\n": "say --columns 2 3",
    "20\t1\t2\n20\t3\t4\n40\t1\t2\n": "its first column may have times",
    # counts, labels, headers and blanks among numbers
    "nodes: 3\n1 2\n2 3\n": "'nodes:'",
    "Vertices: 3\nEdges: 2\n1 2\n2 3\n": "'Vertices:'",
    "|V| 3\n|E| 2\n1 2\n2 3\n": "'|V|' is called a vertex among numbers",
    "size 3\n1 2\n2 3\n": "'size' is called a vertex among numbers",
    "num_vertices,3\n1,2\n2,3\n": "'num_vertices' is called a vertex among numbers",
    "4 vertices\n1 2\n2 3\n3 4\n": "'vertices' is called a vertex among numbers",
    "1 2\n2 3\nnodes 3\n": "'nodes' is called a vertex among numbers",
    "4 3\n1 2\n2 1\n2 3\n3 2\n3 4\n4 3\n": "'4 3' may be the numbers of vertices and edges",
    "4 3 1.0\n1 2 1.5\n2 3 2.5\n3 4 3.5\n": "'4 3 1.0' may be the numbers of vertices and edges and a third",
    "source,target\n1,2\n2,NULL\n3,NULL\n4,3\n": "'NULL' is called a vertex among numbers",
    "1 January\n2 March\n3 April\n#\n1 2\n2 3\n": "'January' is called a vertex among numbers",
    "# nodes\n1,ann\n2,bob\n# edges\n1,2\n2,1\n": "'ann' is called a vertex among numbers",
    "Id,Label\n1,ann\n2,bob\n\nSource,Target\n1,2\n2,1\n": "'Source' is called a vertex among numbers",
    "source,target\n1,2\n2,3\ntarget,source\n3,4\n": "remove",
    "0,1\nann,bob\nbob,cy\n": "'0 1' may number the columns",
    "1,2 #a\n2,3 #b\n": "'2 #a' may end in a comment",
    "1,2#a\n2,3#b\n": "'2#a' may end in a comment",
    "source,target\nann,NULL\nbob,cy\n": "'NULL' is called a vertex; remove its line",
    "ann\t\\N\nbob\tcy\ncy\tann\n": "is called a vertex; remove its line",
    "ann,-\nbob,cy\ncy,ann\n": "'-' is called a vertex",
    "1,2,5\n2,3,6\nTotal,Total,11\n": "'Total' is called a vertex",
    "1 2\n2 3\n1-2 5\n3 1\n": "'1-2' is called a vertex among numbers",
    "ann,NA\nbob,cy\ncy,ann\n": "'NA' is called a vertex",
    "source | target\n--- | ---\na | b\nb | c\n": "'---' is called a vertex",
    "| source | target |\n|---|---|\n| 1 | 2 |\n": "has 4 columns; say --columns TAIL HEAD",
    "a,b,5\nb,c,6\nTotal,2,11\n": "'Total' is called a vertex",
    # names that begin as comments do
    "# paths\n\n%C3%81edn\tCork\nCork\tKerry\nKerry\tCork\n": "'%C3%81edn\\tCork' may be a comment, or a row",
    "%C3%81edn Cork\nCork Kerry\nKerry Cork\n": "'%C3%81edn Cork' may be a comment, or a row",
    "#ml,#data\njava,#data\njava,sql\n": "line 1: '#ml,#data' may be a comment, or a row",
    "#1 Crush,Garbage\nOnly Happy,Garbage\nStupid Girl,Garbage\n": "line 1: '#1 Crush,Garbage' may be",
    "1 2\n2 3\n#5 7\n3 4\n": "line 3: '#5 7' may be a comment, or a row",
    # headers
    "# ToNodeId\tFromNodeId\n1\t2\n2\t3\n": "may be a header; say --columns 2 1",
    "# to from\n1 2\n2 3\n": "may be a header; say --columns 2 1",
    "% to from\n1 2\n2 3\n": "may be a header; say --columns 2 1",
    "// target,source\n1,2\n2,3\n": "may be a header; say --columns 2 1",
    "# exported by x\n# target\tsource\n1\t2\n2\t3\n": "line 2: '# target\\tsource' may be a header",
    "# weight from to\n5 1 2\n6 2 3\n": "may be a header; say --columns 2 3",
    "# t u v\n20 1 2\n40 2 3\n60 1 3\n": "--columns 2 3",
    "v1 v2\nv3 v4\nv4 v5\n": "'v1 v2' may be names of columns, or an edge",
    "node1,node2\nnode3,node4\nnode4,node5\n": "say --columns node1 node2, or write a header",
    "id1,id2\n0,1\n1,2\nid1,id2\n": "remove further headers",
    "from to\n1 1 2\n2 2 3\n": "line 1: names 2 of 3 columns; say which, as --columns 2 3, or 1 2 3",
    "from to weight time\n1 2 5 20\n2 3 6 30\n": "say --format edges --columns TAIL HEAD [WEIGHT]",
    "3\n1 2\n2 3\n": "'3' may be the number of vertices or edges; delete that line",
    "graph\n{\n a -- b;\n}\n": "is a Graphviz file",
    " \n": "it is empty; name another file",
    "nodedef>name VARCHAR\na\nb\nedgedef>n1 VARCHAR,n2 VARCHAR\na,b\n": "is GDF",
    "% asym dynamic\n1 2 1 100\n1 2 -1 200\n2 3 1 100\n": "-1 removes one",
    "# 3 nodes, 9 edges\n1 2\n2 3\n": "expected 9 edges, as its comment says, found 2",
    "# 2 vertices and 2 edges\n1 2\n2 3\n": "expected 2 vertices, as its comment says, found 3",
    # counts, numbers of rows and columns, what is no file of edges
    "3 6\n1 2\n2 3\n3 1\n": "may be the numbers of vertices and edges",
    "5 3\nann bob\nbob cy\ncy dan\n": "but 4 vertices follow",
    "1,203,377\n2,512,88\n3,77,912\n4,301,640\n5,45,210\n": "its first column may have the numbers of edges",
    "1,2\nann,bob\nbob,cy\n": "may number the columns",
    "0 1 0 1\n1 0 1 0\n0 1 0 1\n1 0 1 0\n": "may be a matrix; write Matrix Market",
    "from to weight\n7 a b 1\n9 b c 2\n": "say which, as --columns 2 3 4, or 1 2 3",
    "0 1\n1 2\n2 3\n... ...\n8 9\n": "'...' is called a vertex among numbers",
    "0,1\n1,2\n2,3\n(1,2)\n": "'(1' is called a vertex among numbers",
    "source,target\nann,bob\nbob,cy\n\ufeffsource,target\nx,y\n": "remove further headers",
    "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 123\n": "get the file with git lfs pull",
}
READ = {
    "100 200\n200 300\n300 100\n": 3,
    "20 1 5\n40 2 5\n": 2,  # two rows
    "20 40 5\n20 60 5\n40 60 5\n": 3,
    "hub a 1\nhub b 2\nhub c 3\n": 3,  # a star
    "a hub 5\nb hub 6\nc hub 7\n": 3,
    "e f 1\nf g 2\n": 2,
    "ann bob friend\nbob cy colleague\n": 2,
    "1 item1\n2 item2\n2 item1\n": 3,  # of two kinds
    "Smith,J\tDoe,A\nDoe,A\tRoe,B\n": 2,
    "555-1234 555-2345\n555-2345 555-3456\n": 2,
    "1:1000 2:500\n2:500 3:10\n": 2,
    "'22' 'Go'\nGo X\nX Y\n": 3,
    "0 1 2\n1 2 5\n2 3 1\n": 3,
    "x a b\na y c\nb c z\n": 3,
    "from,to,capacity\ns,1,10\ns,2,5\n1,3,4\n2,3,6\n1,4,2\n3,t,9\n4,t,3\n": 7,  # a flow network
    "100 101\n101 103\n103 103A\n103A 104\n104 105\n": 5,
    "start_station,end_station,trips\n72,79,10\n79,8D OPS,2\n72,82,5\n": 3,
    "1,2\n2,3\n3,A\nA,C\nC,1\n": 5,
    "bread,2% milk\neggs,bread\n2% milk,eggs\n": 3,
    "source,target,weight\n1,2,3\n2,3,4\n3,4,5\n": 3,
    "# source -> target\n1 2 5\n2 3 6\n3 1 7\n": 3,
    "ann bob cy\nbob ann dan\ncy dan eve\n": 3,
    "0 0 1\n1 0 1\n2 2 2\n": 3,
    "# from to\n1 2\n2 3\n": 2,
    "# FromNodeId\tToNodeId\n1\t2\n2\t3\n": 2,
    "#\tfrom\tto\n1\t2\n2\t3\n": 2,
    "x (north),y (south)\ny (south),z\n": 2,
    "sep=;\r\nsource;target;weight\r\n1;2;5\r\n2;3;6\r\n": 2,  # Excel
    "source,target\n1,2\n2,3\n,\n": 2,
    "12 14\n14 12-13\n12-13 12\n": 3,  # numbers of houses
    "1-2-3 5\n2-3-4 6\n": 2,
    "Total,Shell\nShell,BP\nBP,Total\n": 3,
    "%100 200\n1 2\n2 3\n": 2,
    "src/a.py 5\nlib/src 6\n": 2,
    "hsa:1234,path:hsa00010\nhsa:1235,path:hsa00010\n": 2,
    "1,2.0,0.5\n2,3.0,0.7\n": 2,
    "0.1 0.2\n0.2 0.3\n0.3 0.1\n": 3,
    "1 2 3\n2 3 4\n3 4 5\n4 5 6\n": 4,
    'Austin,"Paris, Texas"\nParis,Texas\nTexas,Austin\n': 3,
    '"Austin, Texas","Paris, Texas"\n"Paris, Texas","Seattle, Washington"\n': 2,
    "2020-01-02,2020-01-03\n2020-01-03,2020-01-04\n": 2,
    "1-101,1-102\n1-102,2-101\n": 2,
    "5,2020-01-02\n6,2020-01-03\n": 2,
    "978-3-16-148410-0,1\n978-0-306-40615-7,2\n": 2,
    "0000-0002-1825-0097,12\n0000-0001-5109-3700,13\n": 2,
    "1:12345,7\n1:23456,8\n": 2,
    "person,age\n1,10-19\n2,20-29\n3,10-19\n": 3,
    '"Smith, J",5\n"Doe, A",6\n': 2,
    "Tom &amp; Jerry,Tom &amp; Bob\nTom &amp; Bob,Bob &amp; Jerry\n": 2,
    "source,target\nRoute # 5,Main St\nMain St,Route # 6\n": 2,
    "source,target,no. # of trips\na,b,5\nb,c,6\n": 2,
    "source,target,share %\na,b,5\nb,c,6\n": 2,
    "1 2 4\n2 3 1\n3 4 2\n4 1 3\n": 4,
    "# Source Target Weight\n1 2 4\n2 1 3\n3 2 4\n4 1 3\n": 4,
    "1100000001 22000000001 5\n1100000002 22000000002 6\n": 2,
    "1234567890 987654 5\n1234567891 987655 6\n": 2,
    "1234567890,9876543210,5\n1234567891,9876543211,7\n": 2,
    "20 101 5\n40 102 7\n60 103 3\n": 3,
    "1 0 5\n2 0 6\n3 1 7\n4 1 8\n": 4,  # a tree
    "1.1 1.2 5\n1.2 1.3 6\n": 2,  # sections
    "root,1,5\nroot,2,6\nroot,3,7\n": 3,
    "1 5 1\n2 5 1\n3 5 1\n4 5 2\n": 4,
    "5 4\n4 3\n3 2\n2 1\n": 4,
    "root,1,1\nroot,2,3\nroot,3,2\n": 3,
    "a b 5\na c 6\n": 2,
    "5 4\n5 3\n5 2\n5 1\n": 4,
    "node1,node2,weight\nnode10,node11,5\nnode11,node12,6\n": 2,
    '"(0, 10]","(10, 20]"\n"(10, 20]","(20, 30]"\n': 2,
    'ann,"(0, 10]"\nbob,"(10, 20]"\nbob,"(0, 10]"\n': 3,
    "(0, 0)\t(1, 0)\n(0, 0)\t(0, 1)\n": 2,  # a grid of NetworkX
    '"(0, 10]",5\n"(10, 20]",6\n': 2,
    "[0, 1)\t[1, 2)\n[1, 2)\t[2, 3)\n": 2,
    "[[a]],[[b]]\n[[b]],[[c]]\n": 2,
    "[Na+],[Cl-]\n[K+],[Cl-]\n[Na+],[Br-]\n": 3,
    '"from" "to" "weight"\n"1" "a" "b" 0.5\n"2" "b" "c" 0.6\n"3" "a" "c" 0.7\n': 3,  # R
    "sp|P69905|HBA,sp|P68871|HBB,5\nsp|P68871|HBB,sp|P02042|HBD,6\n": 2,
    "Alien: Covenant,Ridley Scott\nAlien: Romulus,Fede\nMission: Impossible,Tom\n": 3,
    "Category: Cats,Animals\nCategory: Dogs,Animals\n": 2,
    "1 2\n2 3\n3 v\nv u\nu 1\n4 5\n5 6\n": 7,
    "source 1\n1 2\n2 3\n3 4\n4 sink\nsource 4\n": 6,
    "the !\n! and\nand -\n- the\n": 4,  # words of a text
    "NA,ZA\nZA,BW\nBW,NA\n": 3,  # countries
    "ann,Null\nbob,cy\ncy,ann\n": 3,
    "#from,to\n#a,#b\n".replace("#a", "a") + "b,#c\n": 2,
    "Total,5\nann,6\nbob,Total\nann,5\n": 4,
    "Apollo 13,Rocky 2\nRocky 2,Jaws 3\n": 2,
    "Henry 4,Henry 5\nHenry 5,Henry 6\nHenry 6,Richard 3\n": 3,
    "New York\t5\nSan Jose\t6\n": 2,
    "4 3\nann bob\nbob cy\ncy dan\n": 3,  # counts
    "from to weight\n1 a b 1\n2 b c 2\n": 2,  # as R and pandas display them
    "citing,cited\na,b\nb,c\n": 2,
    "1 203 3\n2 512 8\n3 77 9\n4 301 6\n": 4,
    "0,1\n5,6\n6,7\n": 3,
    "# 3 nodes, 2 edges\n1 2\n2 3\n": 2,
    "# the 9 edges of 3 nodes\n1 2\n2 3\n": 2,
    "0 1\n1 0\n": 2,
    "\tsource\ttarget\tweight\n0\t1\t2\t0.5\n1\t2\t3\t0.25\n": 2,  # pandas
    '"from" "to"\n"1" 1 2\n"2" 2 3\n': 2,  # R
    "# Nodes: 4 Edges: 4,000\n" + "1 2\n2 3\n3 4\n4 1\n" * 1000: 4000,
    "# Removed edges: 10\n# Max edges: 5\n# self edges: 0\n1 2\n2 3\n": 2,
    "# Nodes: 0-2\n# Node: 1\n0 1\n1 2\n": 2,
    "*Vertices 2\n*Arcs :1 \"rel\"\n1 2 3\n": 1,
}  # fmt: skip


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize(("content", "told"), ASKED.items(), ids=map(repr, ASKED))
def test_what_may_be_no_edges_is_asked_about(
    content: str, told: str, pieces: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    assert told in refusal(content, tmp_path)


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize(("content", "arcs"), READ.items(), ids=(repr(each[:60]) for each in READ))
def test_what_only_looks_like_it_is_read(
    content: str, arcs: int, pieces: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    assert read(content, tmp_path, directed=True).graph.arcs == arcs


BOTH_WAYS = [("1", "2"), ("2", "1"), ("2", "3"), ("3", "2")]


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize(
    ("content", "arcs"),
    [("head,relation,tail\nann,knows,bob\nbob,knows,cy\n", [("ann", "bob"), ("bob", "cy")]),
     ("source_id,source,target\nx,1,2\ny,2,3\n", [("1", "2"), ("2", "3")]),
     ("target_node,source_node\n1,2\n2,3\n", [("2", "1"), ("3", "2")]),
     ("TargetID,SourceID\n1,2\n2,3\n", [("2", "1"), ("3", "2")]),
     ("dst_id,src_id\n1,2\n2,3\n", [("2", "1"), ("3", "2")]),
     (":END_ID,:START_ID,:TYPE\n1,2,x\n2,3,x\n", [("2", "1"), ("3", "2")]),
     ("weight,a,b\n5,1,2\n6,2,3\n", [("1", "2"), ("2", "3")]),
     ("score,protein1,protein2\n5,1,2\n7,2,3\n", [("1", "2"), ("2", "3")]),
     ("source,target,directed\n1,2,FALSE\n2,3,FALSE\n", BOTH_WAYS),
     ("source,target,directed\n1,2,1\n2,3,1\n", [("1", "2"), ("2", "3")]),
     ("Source,Target,Undirected\n1,2,true\n2,3,true\n", BOTH_WAYS),
     ("# edges are not directed\n1 2\n2 3\n", BOTH_WAYS),
     ("source,target,undirected\n1,2,undirected\n2,3,undirected\n", BOTH_WAYS),
     ("source,target,undirected\n1,2,directed\n2,3,directed\n", [("1", "2"), ("2", "3")]),
     ("source,target,is_directed,weight\n1,2,False,5\n2,3,False,6\n", BOTH_WAYS),
     ("to_user,from_user,x\n1,2,5\n2,3,6\n", [("2", "1"), ("3", "2")]),
     ("a1b2c3d e4f5a6b\n1234567 89abcde\n", [("1234567", "89abcde"), ("a1b2c3d", "e4f5a6b")]),
     ("1 2 {'weight': np.float64(5.0)}\n2 3 {'weight': np.int64(6)}\n", [("1", "2"), ("2", "3")]),
     ("# not a directed graph\n1 2\n2 3\n", BOTH_WAYS),
     ("# mode: un-directed\n1 2\n2 3\n", BOTH_WAYS),
     *((f"# {words}\n1 2\n2 3\n", BOTH_WAYS)
       for words in ("undirected, no self-loops", "Undirected (no duplicates)", "undirected, not weighted",
                     "directed graph: false", "undirected - no parallel edges")),
     *((f"# {words}\n1 2\n2 3\n", [("1", "2"), ("2", "3")])
       for words in ("directed, no self-loops", "Directed, not weighted", "directed (0 self loops)",
                     "directed, 0-based", "directed - no parallel edges", "undirected graph: no")),
     ("source,target,directed\n1,2,true\n2,3,1\n", [("1", "2"), ("2", "3")]),
     ("user_b,user_a,w\n1,2,5\n2,3,6\n", [("1", "2"), ("2", "3")]),
     ("\tsource\ttarget\tweight\n0\t1\t2\t5\n1\t2\t3\t6\n", [("1", "2"), ("2", "3")]),
     ('"from" "to"\n"1" 1 2\n"2" 2 3\n', [("1", "2"), ("2", "3")]),
     ("# Directed: undirected\n1 2\n2 3\n", BOTH_WAYS)],
)  # fmt: skip
def test_columns_are_found_by_all_usual_names(
    content: str, arcs: list[tuple[str, str]], pieces: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    assert arcs_of(read(content, tmp_path)) == arcs


@pytest.mark.parametrize("pieces", [False, True])
def test_what_is_chosen_is_read_as_such(pieces: bool, tmp_path: Path, monkeypatch: Patch) -> None:
    """What a refusal says to do can be done."""
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    for content, columns, arcs in (
        ("1 <- 2\n2 <- 3\n", "31", [("2", "1"), ("3", "2")]),
        ("1 to 2\n2 to 3\n", "13", [("1", "2"), ("2", "3")]),
        ("e 1 2\ne 2 3\n", "23", [("1", "2"), ("2", "3")]),
        ("20 1 2\n20 3 4\n40 1 2\n", "23", [("1", "2"), ("1", "2"), ("3", "4")]),
        ("# to from\n1 2\n2 3\n", "21", [("2", "1"), ("3", "2")]),
        ("from to\n1 1 2\n2 2 3\n", "23", [("1", "2"), ("2", "3")]),
        ("0 1 0\n1 0 1\n0 1 0\n", "123", [("0", "1"), ("0", "1"), ("1", "0")]),
        (",0,1,2\n0,1,2,5\n1,2,3,7\n", "234", [("1", "2"), ("2", "3")]),
        ("0.5 1 2\n0.7 2 3\n", "231", [("1", "2"), ("2", "3")]),
        ("1 10 20\n2 20 30\n3 10 30\n", "23", [("10", "20"), ("10", "30"), ("20", "30")]),
        ("1,root,5\n2,root,6\n", "123", [("1", "root"), ("2", "root")]),
    ):
        assert arcs_of(read(content, tmp_path, columns=[*columns], directed=True)) == arcs
    assert read("nodes: 3\n1 2\n2 3\n", tmp_path, kind="edges", directed=True).graph.arcs == 3
    assert read("a\tx;y\nb\tx;z\n", tmp_path, kind="edges", directed=True).graph.arcs == 2
    assert read("ann,NULL\nbob,cy\n", tmp_path, kind="edges", directed=True).graph.arcs == 2
    assert "line 2: '#5 7' may be a comment" in refusal("1 2\n#5 7\n2 3\n", tmp_path, kind="edges")
    named = "node1,node2\nnode3,node4\nnode4,node5\n"
    assert read(named, tmp_path, columns=["node1", "node2"], directed=True).graph.arcs == 2
    quoted = '"%C3%81edn"\tCork\nCork\tKerry\nKerry\tCork\n'
    assert read(quoted, tmp_path, directed=True).graph.arcs == 3
    assert read("1\t2 3\n2\t1 3\n3\t1 2\n", tmp_path, kind="edges").graph.weights is not None
    (note,) = read("country,person,friend\nUK,ann,bob\nUK,cy,di\nUS,ed,flo\n", tmp_path, columns=["2", "3"],
                   directed=True).notes  # fmt: skip
    assert note == "line 1 is read as an edge (--columns person friend: as names of columns)"


@pytest.mark.parametrize("rows", [300, 120_000])
def test_times_before_2001_are_times_beside_later_ones(rows: int, tmp_path: Path) -> None:
    content = "".join(
        f"{k % 5000 + 1} {k * 7 % 4999 + 1} {899_990_000 + k * (120_000_000 // rows)}\n" for k in range(rows)
    )
    assert "third column has times" in read(content, tmp_path, directed=True).no_weights
    named = "# source,target,timestamp\n1,2,20\n2,3,30\n"
    assert "third column has times" in read(named, tmp_path, directed=True).no_weights


def test_a_comma_in_pajek_and_a_large_list_of_latin_letters(tmp_path: Path) -> None:
    pajek = '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Edges\n1 2 5,5\n2 3 6\n'
    assert "expected a weight without a comma, as 5.5, with a decimal point" in refusal(pajek, tmp_path)
    rows = "source,target\n" + "".join(f"n{k % 5000},n{k * 7 % 4999}\n" for k in range(110_000))
    found = read((rows + "\u00e9,\u00fc\n").encode("latin-1"), tmp_path, directed=True)
    assert found.graph.arcs == 110_001
    assert "\u00e9" in (found.names or ())


@pytest.mark.parametrize("rows", [3, 130_000])
def test_comments_count_wherever_they_stand(rows: int, tmp_path: Path) -> None:
    content = "".join(f"{k} {k + 1}\n" for k in range(rows))
    found = read(content + "# Undirected graph\n", tmp_path)
    assert (found.graph.arcs, found.graph.info["directed"]) == (2 * rows, False)
    assert f"expected 7 edges, as its comment says, found {rows}" in refusal(
        f"{content}# Edges: 7\n", tmp_path
    )


def test_what_macos_puts_into_an_archive_is_no_file_of_it(tmp_path: Path) -> None:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("a.csv", "source,target\n1,2\n2,3\n")
        for beside in ("__MACOSX/._a.csv", ".DS_Store"):
            archive.writestr(beside, b"\x00\x05\x16\x07")
    assert read(packed.getvalue(), tmp_path, directed=True).graph.arcs == 2


@pytest.mark.parametrize(
    ("comment", "arcs"),
    [("weighted, undirected", 4), ("Graph is undirected", 4), ("An undirected network of friends", 4),
     ("type: undirected", 4), ("non-directed", 4), ("Type: directed", 2), ("edges are directed", 2)],
)  # fmt: skip
def test_a_comment_says_of_directions_wherever_it_does(comment: str, arcs: int, tmp_path: Path) -> None:
    found = read(f"# {comment}\n1 2\n2 3\n", tmp_path)
    assert (found.graph.arcs, found.graph.info["directed"]) == (arcs, arcs == 2)


@pytest.mark.parametrize("comment", ["Graph: directed or undirected", "directions are unknown"])
def test_a_comment_that_does_not_say_is_no_statement(comment: str, tmp_path: Path) -> None:
    assert "directed" not in read(f"# {comment}\n1 2\n2 3\n", tmp_path).graph.info


def test_an_excel_workbook_is_named(tmp_path: Path) -> None:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", "")
        archive.writestr("xl/workbook.xml", "")
    assert "is an Excel workbook; save its edges as CSV" in refusal(packed.getvalue(), tmp_path, "graph.xlsx")


def test_a_distance_is_a_weight_of_gml(tmp_path: Path) -> None:
    gml = "graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 distance 2 ] ]"
    weights = read(gml, tmp_path).graph.weights
    assert weights is not None
    assert weights.tolist() == [2]


@pytest.mark.parametrize(
    ("rows", "last", "told"),
    [
        ("{},{}\n", "1,2 3\n", "'2 3' is called a vertex among numbers"),
        ("{} {}\n", "#5 7\n3 4\n", "line 130001: '#5 7' may be a comment, or a row"),
        ("{} {}\n", "700-707 5\n3 4\n", "'700-707' is called a vertex among numbers"),
        ("n{},m{}\n", "n5,NULL\n", "'NULL' is called a vertex"),
        ("n{},m{}\n", "Total,5\n", "'Total' is called a vertex"),
        ("n{}\tm{}\n", "n1\tm2;m3\n", "'m2;m3' may be several vertices"),
        ("n{},m{}\n", "n1,m2 # new\n", "line 130001: 'm2 # new' may end in a comment"),
    ],
)
def test_one_row_in_doubt_far_below_is_asked_about(rows: str, last: str, told: str, tmp_path: Path) -> None:
    content = "".join(rows.format(k, k * 7 % 99991) for k in range(130_000)) + last
    assert told in refusal(content, tmp_path)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "rows",
    ['"1{}x",2\n3,4\n', 'a,"b{}c"\nb,c\n', '"a:{}b",2\nc,4\n', 'a,"b;{}c"\nb,c\n', "a,b{} #x\nb,c\n"],
)
def test_many_blanks_in_a_cell_take_no_minutes(rows: str, tmp_path: Path) -> None:
    """The patterns of pairs once tried all ways to divide them: 60,000 took 57 and 39 s."""
    assert read(rows.format(" " * 60_000), tmp_path, directed=True).graph.arcs == 2


@pytest.mark.parametrize("rows", [2, 20_000])
def test_names_of_another_encoding_are_told(rows: int, tmp_path: Path) -> None:
    cities = "".join(f"\u041c{k} \u0422{k}\n" for k in range(rows))
    for encoding, notes in (("utf-8", 0), ("cp1251", 1)):
        found = read(cities.encode(encoding), tmp_path, directed=True)
        told = [note for note in found.notes if "is not UTF-8: names are read as Latin-1" in note]
        assert len(told) == notes
    for row in ("1 2", "ann bob"):
        plain = f"# \u041c\n{rows * (row + chr(10))}".encode("cp1251")
        assert not any("UTF-8" in note for note in read(plain, tmp_path, directed=True).notes)


def test_names_that_differ_by_quotes_are_told(tmp_path: Path) -> None:
    for name in ("'a'", "`a`"):
        found = read(f"{name} b\na c\nc b\n", tmp_path, directed=True)
        assert any("are two vertices" in note for note in found.notes)


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("row", ["1;\t", "\t;1", "1;", "1;\u00a0"])
def test_an_empty_cell_is_no_vertex(row: str, pieces: bool, tmp_path: Path, monkeypatch: Patch) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    for content in (f"From;To\n1;2\n2;3\n{row}\n", f"From;To\nann;bob\nbob;cy\n{row}\n"):
        told = refusal(content, tmp_path)
        assert "line 4: expected two ids, found an empty cell" in told or "expected 2 cells" in told


@pytest.mark.parametrize("pieces", [False, True])
def test_a_column_of_directions_is_read_and_no_other_of_its_name(
    pieces: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    for word, notes in (("FALSE", 0), ("dashed", 1)):
        rows = "".join(f"{u},{u + 1},{word}\n" for u in range(4))
        found = read(f"source,target,directed\n{rows}", tmp_path, directed=False)
        assert sum("directed: not read" in note for note in found.notes) == notes


@pytest.mark.parametrize("first", ["1577836800.0", "1577836800123", "20240101"])
def test_times_of_all_forms_are_no_weights(first: str, tmp_path: Path) -> None:
    for rows in (3, 70_000):
        times = [first, first[:-1] + "7", *[first[:-1] + "5"] * rows]
        found = read(
            "".join(f"{u} {u + 1} {time}\n" for u, time in enumerate(times)), tmp_path, directed=True
        )
        assert found.graph.weights is None
        assert "its third column has times" in found.no_weights


def test_a_comment_of_many_words_takes_no_minutes(tmp_path: Path) -> None:
    began = perf_counter()
    read("# names: " + "1,a1,a b,from_a," * 20_000 + "x\n1 2\n2 3\n", tmp_path, directed=True)
    assert perf_counter() - began < 20


@pytest.mark.parametrize("words", ["Directed: n/a", "directed/undirected", "directed or undirected"])
def test_a_comment_in_doubt_says_nothing(words: str, tmp_path: Path) -> None:
    found = read(f"# {words}\n1 2\n2 3\n", tmp_path)
    assert any("nothing says" in note or "taken as directed" in note for note in found.notes)


@pytest.mark.parametrize("pieces", [False, True])
def test_a_column_of_directions_is_no_weight(pieces: bool, tmp_path: Path, monkeypatch: Patch) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    found = read("p,q,directed\n1,2,0\n2,3,0\n", tmp_path)
    assert found.graph.weights is None
    assert found.graph.arcs == 4
