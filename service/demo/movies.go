package demo

import "usher/service/domain"

// Movies returns the programme, without ids: films of the silent era whose copyright has ended in the United
// States, told in our own words. Poster is the name under which the pages draw each film's poster.
func Movies() []domain.Movie {
	return append(early(), late()...)
}

func early() []domain.Movie {
	return []domain.Movie{
		{
			Title: "The Cabinet of Dr. Caligari", TitleZH: "卡里加里博士的小屋", Year: 1920, RuntimeMinutes: 76, Poster: "caligari",
			Synopsis:   "A fairground showman wakes a man who has slept all his life and lets him tell the future. The next morning somebody is dead, the streets lean over the living, and a friend starts to ask who commands whom.",
			SynopsisZH: "集市上，一位江湖艺人唤醒了沉睡多年的男子，让他预言未来。第二天清晨便有人丧命。街巷歪斜，人影幢幢，死者的朋友开始追问：究竟是谁在操纵谁？",
		},
		{
			Title: "Nosferatu", TitleZH: "诺斯费拉图", Year: 1922, RuntimeMinutes: 94, Poster: "nosferatu",
			Synopsis:   "A young clerk rides into the mountains to sell a house to a count who only receives at night. When the count moves in across the street, rats come ashore with his coffins, and a wife finds out what would stop him.",
			SynopsisZH: "年轻的职员翻山越岭，把一座房子卖给只在夜里见客的伯爵。伯爵搬到对街，老鼠随棺木一同上岸。只有职员的妻子明白，怎样才能让他停下。",
		},
		{
			Title: "Safety Last!", TitleZH: "最后安全", Year: 1923, RuntimeMinutes: 73, Poster: "safety-last",
			Synopsis:   "He wrote home that he is a manager; in truth he sells cloth by the yard. To win a prize for the store, and the girl who believed every letter, he has to climb the front of it himself, floor by floor, past a clock.",
			SynopsisZH: "他在家信里自称经理，其实只是卖布的店员。为了替百货公司赢得奖金，也为了那个句句当真的姑娘，他只好亲自徒手爬上大楼，一层又一层，一直爬到那座大钟跟前。",
		},
		{
			Title: "Sherlock Jr.", TitleZH: "福尔摩斯二世", Year: 1924, RuntimeMinutes: 45, Poster: "sherlock-jr",
			Synopsis:   "A projectionist studies to be a detective and is framed for a stolen watch before lesson two. He falls asleep beside his machine, steps into the picture on the screen, and solves there what he could not solve outside.",
			SynopsisZH: "放映员自学当侦探，第二课还没学完，就被人栽赃偷了怀表。他在放映机旁睡着，走进银幕里的故事，把醒时破不了的案子破了。",
		},
		{
			Title: "The Thief of Bagdad", TitleZH: "巴格达窃贼", Year: 1924, RuntimeMinutes: 149, Poster: "thief-of-bagdad",
			Synopsis:   "A thief who laughs at every lock sees a princess and wants to be worth her. Three princes and one liar ride out for the rarest gift on earth, over burning trees, under the sea and through the air.",
			SynopsisZH: "没有一把锁难得住这个窃贼，直到他遇见公主，才想做一个配得上她的人。三位王子和一个骗子各奔天涯，去寻世上最珍奇的礼物：穿过火林，潜入海底，飞上云端。",
		},
		{
			Title: "The Gold Rush", TitleZH: "淘金记", Year: 1925, RuntimeMinutes: 95, Poster: "gold-rush",
			Synopsis:   "In a hut at the end of the world, two hungry men share one boot and watch each other closely. The smaller of them has a tie, a cane, no gold and a dinner invitation that nobody means to keep.",
			SynopsisZH: "天尽头的木屋里，两个饿汉分吃一只皮靴，彼此盯得紧紧的。个子小的那位系着领带，拄着手杖，没有金子，却摆好了一桌无人赴约的晚餐。",
		},
	}
}

func late() []domain.Movie {
	return []domain.Movie{
		{
			Title: "Battleship Potemkin", TitleZH: "战舰波将金号", Year: 1925, RuntimeMinutes: 74, Poster: "potemkin",
			Synopsis:   "The meat is bad and the officers say it is good. By evening the sailors hold the ship, by morning a town brings them bread, and on a long flight of steps boots come down in line.",
			SynopsisZH: "肉已经坏了，军官却说是好的。到了傍晚，水兵们夺下军舰；到了清晨，全城的人送来面包；而在那条长长的石阶上，一排军靴正齐步走下。",
		},
		{
			Title: "The Phantom of the Opera", TitleZH: "歌剧魅影", Year: 1925, RuntimeMinutes: 93, Poster: "phantom",
			Synopsis:   "Box five is never sold. From behind the wall a voice teaches a singer, from under the stage it asks its price, and five cellars down someone plays the organ with his back to the door.",
			SynopsisZH: "五号包厢从不出售。墙后有个声音教一位女歌手唱歌，舞台下的声音又来索取报酬。在地下五层，有人背对着门，弹着管风琴。",
		},
		{
			Title: "The Adventures of Prince Achmed", TitleZH: "阿赫迈德王子历险记", Year: 1926, RuntimeMinutes: 66, Poster: "prince-achmed",
			Synopsis:   "Cut from black paper and lit from below, a prince mounts a horse that only knows the way up. Before he learns to come down again there are an island, a witch, a lamp and a battle of changing shapes.",
			SynopsisZH: "黑纸剪成，灯光从下面透来：王子骑上一匹只会往上飞的马。在学会落地之前，他还要经过一座仙岛、一位女巫、一盏神灯和一场变幻的斗法。",
		},
		{
			Title: "The General", TitleZH: "将军号", Year: 1926, RuntimeMinutes: 79, Poster: "general",
			Synopsis:   "An engine driver has two loves, and both are stolen on the same morning. He sets out after his locomotive by handcar, by bicycle and by another locomotive, mostly facing the wrong way when it matters.",
			SynopsisZH: "火车司机有两个心上人，同一天早晨都被人劫走了。他用手摇车、自行车，再开上另一台机车去追自己的火车头，可每到要紧关头，他总是望着相反的方向。",
		},
		{
			Title: "Metropolis", TitleZH: "大都会", Year: 1927, RuntimeMinutes: 153, Poster: "metropolis",
			Synopsis:   "Above, gardens and stadiums; below, ten-hour clocks and steam. The son of the man who owns both goes down to look for a face he saw once, while an inventor gives that face to a machine.",
			SynopsisZH: "上面是花园与运动场，下面是十小时的钟和蒸汽。这座城主人的儿子走到地下，去找一张只见过一面的脸；与此同时，发明家正把那张脸安到机器上。",
		},
		{
			Title: "Sunrise", TitleZH: "日出", Year: 1927, RuntimeMinutes: 94, Poster: "sunrise",
			Synopsis:   "A farmer rows his wife across the lake with a crime in mind and cannot do it. The tram takes them both to the city, and in one afternoon of traffic, photographs and dancing they meet again.",
			SynopsisZH: "农夫载着妻子划向湖心，心里藏着罪念，终究下不了手。电车把两人带进城里，在车流、照相馆和舞曲中，他们用一个下午重新认识了彼此。",
		},
	}
}
